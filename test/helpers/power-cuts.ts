import { mkdirSync, rmSync } from 'node:fs'
import type { Context } from '../../src/context.ts'
import { findLeftovers } from '../../src/operation/check/leftovers.ts'
import type { Disk } from '../../src/platform/disk.ts'
import type { ProcessIdentity } from '../../src/platform/identity.ts'
import { processIdentity } from '../../src/platform/identity.ts'
import { scopesOf } from '../../src/state/config/resolve-paths.ts'
import { NOW, type Scenario, quickDisk, shown, workOf } from './kill-points.ts'
import { type PowerCutOutcome, type RemainingEntry, SimulatedDisk, restoreTree } from './simulated-disk.ts'
import { makeTestContext } from './test-context.ts'
import { differences, treeOf } from './tree.ts'

export interface PowerCutOptions {
  /** Cut after every nth call only. */
  readonly every?: number
  /** How many random outcomes are tried for each cut. */
  readonly chances?: number
  /** How many random second cuts are tried in each recovery. */
  readonly again?: number
}

/** One call, as it changes the simulated disk. */
interface DiskEvent {
  readonly call: string
  readonly apply: (disk: SimulatedDisk) => void
}

/**
 * Cuts the power after every call of the operation. Three outcomes are tried: only synced data survives; every name
 * survives but no unsynced byte, as on journalling file systems; a random part of that survives. The machine
 * restarts, another process recovers, and everything is the old state or the new one; after the end, the new one. With
 * `again` that process loses power too, and the next one recovers.
 * @returns how many different disks were recovered from
 */
export const everyPowerCut = async (
  root: string,
  scenario: Scenario,
  { every = 1, chances = 1, again = 0 }: PowerCutOptions = {},
): Promise<number> => {
  const tree = (): string[] =>
    treeOf(root, { without: ['cache', ...(scenario.without ?? [])] }).filter((line) => !HOME.test(line))
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  const { context } = makeTestContext(root, { disk: quickDisk, now: NOW })
  await scenario.prepare(context, root)
  const before = tree()
  const simulated = new SimulatedDisk(root)
  const events: DiskEvent[] = []
  for (const work of workOf(scenario))
    await work({ ...context, disk: recordEvents(quickDisk, events), identity: EARLIER })
  const after = tree()

  const seen = new Set<string>()
  const expectOne = (where: string, isOver: boolean): void => {
    removeUnowned({ ...context, identity: LAST })
    const found = tree()
    const [toOld, toNew] = [differences(before, found), differences(after, found)]
    if (toNew.length === 0 || (toOld.length === 0 && !isOver)) return
    throw new Error(`${where}:\nagainst the old state\n${shown(toOld)}\nagainst the new state\n${shown(toNew)}`)
  }
  const start = (survivors: readonly RemainingEntry[]): void => {
    rmSync(root, { recursive: true, force: true })
    mkdirSync(root)
    restoreTree(root, survivors)
  }
  const recoverFrom = async (survivors: readonly RemainingEntry[], where: string, isOver: boolean): Promise<void> => {
    const mark = JSON.stringify(survivors)
    if (seen.has(mark)) return
    seen.add(mark)
    start(survivors)
    const later = again === 0 ? null : new SimulatedDisk(root)
    const calls: DiskEvent[] = []
    await scenario.recover({ ...context, disk: recordEvents(quickDisk, calls), identity: LATER })
    expectOne(where, isOver)
    if (later === null) return
    const cuts = new Set(Array.from({ length: again }, () => Math.floor(random() * calls.length)))
    for (const [index, { call, apply }] of calls.entries()) {
      apply(later)
      if (!cuts.has(index)) continue
      const [words, luck] = outcomes[Math.floor(random() * outcomes.length)] ?? SYNCED
      start(later.afterPowerCut(luck))
      await scenario.recover({ ...context, identity: LAST })
      expectOne(`${where}, and again after ${call}, ${words}`, isOver)
    }
  }
  const random = seededRandom(7)
  const outcomes: readonly (readonly [string, PowerCutOutcome])[] = [
    SYNCED,
    ['with every name and no byte', { name: () => true, bytes: () => 'none' }],
    ...Array.from({ length: chances }, (): [string, PowerCutOutcome] => [
      'with what chance left',
      {
        name: () => random() < 0.5,
        bytes: () => (['none', 'some', 'all'] as const)[Math.floor(random() * 3)] ?? 'none',
      },
    ]),
  ]
  for (const [index, { call, apply }] of events.entries()) {
    apply(simulated)
    const isOver = index === events.length - 1
    if (!isOver && index % every !== 0) continue
    for (const [words, luck] of outcomes)
      await recoverFrom(simulated.afterPowerCut(luck), `power cut after ${call}, ${words}`, isOver)
  }
  return seen.size
}

/** The folder itself may stay. */
const HOME = /^home\/ \d+$/

const SYNCED: readonly [string, PowerCutOutcome] = [
  'with nothing but what was synced',
  { name: () => false, bytes: () => 'none' },
]

/** Before and after the machine was restarted, and again. */
const LAST: ProcessIdentity = { ...processIdentity(), machine: 'its own' }
const EARLIER: ProcessIdentity = { ...LAST, boot: 'an earlier one', pid: 4242, start: '1' }
const LATER: ProcessIdentity = { ...LAST, boot: 'a later one', pid: 4243, start: '1' }

/** A folder whose owner file was lost stays until doctor runs; that changes nothing else. */
const removeUnowned = (context: Context): void => {
  for (const paths of scopesOf(context))
    for (const path of findLeftovers(context, paths, { locked: true })) rmSync(path, { recursive: true })
}

/** Numbers between 0 and 1, the same each time. */
const seededRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Forwards every call, and records those that change the disk. */
const recordEvents = (disk: Disk, events: DiskEvent[]): Disk => {
  let files = 0
  const numbers = new Map<number, number>()
  const note = (call: string, apply: DiskEvent['apply']): void => void events.push({ call, apply })
  const numberOf = (fd: number): number => numbers.get(fd) ?? -1
  return {
    ...disk,
    openSync: (path, flags, mode) => {
      const fd = disk.openSync(path, flags, mode)
      const number = (files += 1)
      numbers.set(fd, number)
      const made = disk.fstatSync(fd).mode & 0o7777
      note(`open ${path}`, (to) => (flags === 'wx' ? to.created(number, path, made) : to.opened(number, path)))
      return fd
    },
    writeSync: (fd, buffer, offset, length) => {
      const written = disk.writeSync(fd, buffer, offset, length)
      const [number, bytes] = [numberOf(fd), Buffer.from(buffer.subarray(offset, offset + written))]
      note('write', (to) => to.written(number, bytes))
      return written
    },
    fsyncSync: (fd) => {
      const number = numberOf(fd)
      note('fsync', (to) => to.synced(number))
    },
    syncAll: (paths) => {
      for (const path of paths) note(`sync ${path}`, (to) => to.synced(path))
      return Promise.resolve()
    },
    fchmodSync: (fd, mode) => {
      disk.fchmodSync(fd, mode)
      const number = numberOf(fd)
      note('fchmod', (to) => to.changedMode(number, mode))
    },
    chmodSync: (path, mode) => {
      disk.chmodSync(path, mode)
      note(`chmod ${path}`, (to) => to.changedMode(path, mode))
    },
    mkdirSync: (path, mode) => {
      disk.mkdirSync(path, mode)
      const made = disk.lstatSync(path).mode & 0o7777
      note(`mkdir ${path}`, (to) => to.made(path, made))
    },
    rmdirSync: (path) => {
      disk.rmdirSync(path)
      note(`rmdir ${path}`, (to) => to.removed(path))
    },
    unlinkSync: (path) => {
      disk.unlinkSync(path)
      note(`unlink ${path}`, (to) => to.removed(path))
    },
    renameSync: (from, to) => {
      disk.renameSync(from, to)
      note(`rename ${from} ${to}`, (mind) => mind.moved(from, to))
    },
    linkSync: (from, to) => {
      disk.linkSync(from, to)
      note(`link ${from} ${to}`, (mind) => mind.linked(from, to))
    },
  }
}
