import { mkdirSync, rmSync } from 'node:fs'
import type { Context } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import type { Disk } from '../../src/store/disk.ts'
import { realDisk } from '../../src/store/real-disk.ts'
import { faultDisk, Killed, type Call, type Fault } from './fault-disk.ts'
import { differences, treeOf } from './tree.ts'
import { deadProcess, makeWorld } from './world.ts'

/** One operation, from a state of the disk that can be made again. */
export interface Scenario {
  /** Makes the start below `root`, which is empty. Must give the same bytes each time. */
  readonly prepare: (context: Context, root: string) => void | Promise<void>
  /** The operation. Must go through `context.disk`, and give the same bytes each time. */
  readonly run: (context: Context) => Promise<unknown>
  /** What the next process does before anything else. */
  readonly recover: (context: Context) => Promise<unknown>
}

export interface Covered {
  /** How many places were tried. */
  readonly points: number
  readonly calls: readonly Call[]
}

/**
 * Kills the operation in front of every call that changes something, and in the middle of every write. Then another
 * process recovers, and everything below `root` is the old state or the new one, byte for byte. With `again` the recovery
 * itself is killed too, at every nth of its calls, and another one follows.
 */
export const everyKillPoint = async (
  root: string,
  scenario: Scenario,
  { again = 0 }: { readonly again?: number } = {},
): Promise<Covered> => {
  const { before, after, calls } = await bothEnds(root, scenario)
  const changes = calls.filter(({ change }) => change !== null)
  let points = 0
  for (const { name, change, paths } of changes) {
    for (const torn of name === 'writeSync' ? [false, true] : [false]) {
      const kill: Fault = { kind: 'kill', at: change ?? 0, torn }
      const kills = again === 0 ? 0 : await killedRecoveries(root, scenario, kill)
      for (let second = -1; second < kills; second += Math.max(again, 1)) {
        await killed(root, scenario, kill)
        if (second >= 0) await diesIn(() => scenario.recover(dying(root, { kind: 'kill', at: second })))
        await scenario.recover(makeWorld(root, { disk: quickDisk }).context)
        const where = `killed at ${name} ${paths.join(' ')}${torn ? ' (torn)' : ''}${second >= 0 ? `, recovery at ${second}` : ''}`
        expectOneOf(root, { before, after }, where)
        points += 1
      }
    }
  }
  return { points, calls }
}

/**
 * Fails every single call of the operation once, with each errno. Then the operation has either succeeded, and after a
 * recovery the new state is there, or it has thrown an error of ours, and the old state is there at once.
 */
export const everyFault = async (root: string, scenario: Scenario, errnos: readonly string[]): Promise<Covered> => {
  const { before, after, calls } = await bothEnds(root, scenario)
  let points = 0
  for (const errno of errnos) {
    for (let at = 0; at < calls.length; at += 1) {
      const call = calls[at]
      // An empty folder that cannot be taken away stays, and that is no reason to refuse anything.
      if (call?.name === 'rmdirSync') continue
      const where = `${errno} at ${call?.name} ${call?.paths.join(' ')}`
      const error = await attempt(root, scenario, { kind: 'errno', at, errno })
      if (error === null) {
        await scenario.recover(makeWorld(root, { disk: quickDisk }).context)
        expectTree(root, after, `${where}, which it got over`)
      } else {
        if (!(error instanceof GsdError)) throw new Error(`${where}: ${String(error)}`, { cause: error })
        expectTree(root, before, `${where}, refused with ${error.code} ${error.message}`)
      }
      points += 1
    }
  }
  return { points, calls }
}

/** Runs the scenario in a process that is dead afterwards, once over a fresh start with a fault in the disk; the error it ended with, or null. */
export const attempt = async (root: string, scenario: Scenario, fault: Fault): Promise<unknown> => {
  await startOver(root, scenario)
  try {
    await scenario.run(dying(root, fault))
    return null
  } catch (error) {
    return error
  }
}

/** The trees before and after, and the calls that lie between. */
export const bothEnds = async (root: string, scenario: Scenario) => {
  await startOver(root, scenario)
  const before = treeOf(root)
  const { disk, calls } = faultDisk(quickDisk, { kind: 'none' })
  await scenario.run(makeWorld(root, { disk }).context)
  return { before, after: treeOf(root), calls }
}

export const expectTree = (root: string, expected: readonly string[], where: string): void => {
  const found = differences(expected, treeOf(root))
  if (found.length > 0) throw new Error(`${where}:\n${found.join('\n')}`)
}

const expectOneOf = (
  root: string,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  where: string,
): void => {
  const found = treeOf(root)
  const [toOld, toNew] = [differences(before, found), differences(after, found)]
  if (toOld.length === 0 || toNew.length === 0) return
  throw new Error(`${where}:\nagainst the old state\n${toOld.join('\n')}\nagainst the new state\n${toNew.join('\n')}`)
}

const startOver = async (root: string, scenario: Scenario): Promise<void> => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  await scenario.prepare(makeWorld(root, { disk: quickDisk }).context, root)
}

const dying = (root: string, fault: Fault): Context =>
  makeWorld(root, { disk: faultDisk(quickDisk, fault).disk, identity: deadProcess() }).context

const killed = async (root: string, scenario: Scenario, kill: Fault): Promise<void> => {
  await startOver(root, scenario)
  await diesIn(() => scenario.run(dying(root, kill)))
}

/** The real one, but nobody waits for a device: what is lost with the power is another test's business. */
const quickDisk: Disk = { ...realDisk, fsyncSync: () => undefined, syncAll: () => Promise.resolve() }

/** How many calls of the recovery after this kill change something. */
const killedRecoveries = async (root: string, scenario: Scenario, kill: Fault): Promise<number> => {
  await killed(root, scenario, kill)
  const { disk, changes } = faultDisk(quickDisk, { kind: 'none' })
  await scenario.recover(makeWorld(root, { disk }).context)
  return changes()
}

/** A dead process may still seem to return: whatever it does after its death goes nowhere. */
const diesIn = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Killed) && !(error instanceof GsdError)) throw error
  }
}
