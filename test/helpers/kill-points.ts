import { mkdirSync, rmSync } from 'node:fs'
import type { Context } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { type Call, type Fault, faultDisk, Killed } from './fault-disk.ts'
import { deadProcess, makeTestContext } from './test-context.ts'
import { copyTree, differences, treeOf } from './tree.ts'

/** One operation or a chain of them, from a state of the disk that can be repeated. */
export interface Scenario {
  /** Writes the initial state below `root`, which is empty. */
  readonly prepare: (context: Context, root: string) => void | Promise<void>
  /** The operations, one after the other. They must go through `context.disk`, and give the same bytes each time. */
  readonly run: Work | readonly Work[]
  /** The first step of the next process. */
  readonly recover: Work
  /** The answer of that process; must match the state on disk. */
  readonly read?: Work
  /** Paths below `root` that are ignored. */
  readonly without?: readonly string[]
}

type Work = (context: Context) => Promise<unknown>

export interface Coverage {
  /** How many points were tried. */
  readonly points: number
  /** The calls of the operations without a fault. */
  readonly calls: readonly Call[]
}

export interface KillOptions {
  /** Kill the recovery too, at every nth of its calls; 0: never. */
  readonly again?: number
  /** Try every nth point only; any, unless `npm test` has to be thorough. */
  readonly every?: number
}

/**
 * Kills the operation before every call that changes something, and in the middle of every write. Then another
 * process recovers, and everything below `root` is the old state or the new one, byte for byte; in a chain, the state
 * before or after the interrupted link. With `again` the recovery itself is killed too, and another one follows.
 */
export const everyKillPoint = async (
  root: string,
  scenario: Scenario,
  { again = 0, every = 1 }: KillOptions = {},
): Promise<Coverage> => {
  const runner = await makeScenarioRunner(root, scenario)
  const kills = runner.calls
    .filter(({ change }) => change !== null)
    .flatMap(({ name, change, paths }) =>
      (name === 'writeSync' ? [false, true] : [false]).map((torn) => ({
        fault: { kind: 'kill', at: change ?? 0, torn } as const,
        where: `killed at ${name} ${paths.join(' ')}${torn ? ' (torn)' : ''}`,
      })),
    )
    // Not the same points in every scenario.
    .filter((_, index, { length }) => (index + length) % every === 0)
  let points = 0
  for (const { fault, where } of kills) {
    await runner.crash(fault)
    const recovering = await runner.recover()
    await runner.expectEither(fault.at, where)
    points += 1
    const seconds = again === 0 ? 0 : recovering
    for (let second = 0; second < seconds; second += again) {
      await runner.crash(fault)
      await runner.crashRecovery({ kind: 'kill', at: second })
      await runner.recover()
      await runner.expectEither(fault.at, `${where}, recovery at ${second}`)
      points += 1
    }
  }
  return { points, calls: runner.calls }
}

export interface FaultOptions {
  readonly errnos: readonly string[]
  /** Try every nth point only. */
  readonly every?: number
  /** A file that may differ after an operation that went on without reading it, relative to the tree. */
  readonly mayDiffer?: string
}

/**
 * Fails every single call of the operation once, with each errno. The operation must then succeed, and the new state
 * must exist after a recovery, or throw a GsdError, and the old state must exist at once.
 */
export const everyFault = async (
  root: string,
  scenario: Scenario,
  { errnos, every = 1, mayDiffer }: FaultOptions,
): Promise<Coverage> => {
  const runner = await makeScenarioRunner(root, scenario)
  let points = 0
  for (const errno of errnos) {
    for (let at = points % every; at < runner.calls.length; at += every) {
      const call = runner.calls[at]
      // An empty folder that cannot be removed stays, and that is no reason for a refusal.
      if (call?.name === 'rmdirSync') continue
      await runner.fails({ kind: 'errno', at, errno }, `${errno} at ${call?.name} ${call?.paths.join(' ')}`, mayDiffer)
      points += 1
    }
  }
  return { points, calls: runner.calls }
}

/**
 * From every nth point on every call that the fault stops fails. Whatever could not be undone is undone by the next
 * process, on a disk that works.
 */
export const everyLastingFault = async (
  root: string,
  scenario: Scenario,
  { fault, every = 1 }: { readonly fault: (at: number) => Fault; readonly every?: number },
): Promise<Coverage> => {
  const runner = await makeScenarioRunner(root, scenario)
  let points = 0
  for (let at = runner.calls.length % every; at < runner.calls.length; at += every) {
    const call = runner.calls[at]
    const where = `from ${call?.name} ${call?.paths.join(' ')} on`
    const error = asGsdError(await runner.attempt(fault(at)), where)
    await runner.recover()
    // If the commit itself was not confirmed, the next process may find it complete.
    if (error === null) runner.expectEnd(true, `${where}, which it got over`)
    else await runner.expectEither(null, `${where}, refused with ${error.code}`)
    points += 1
  }
  return { points, calls: runner.calls }
}

/**
 * Runs the operation with each of the faults, from the start. It either succeeds, or it is refused and changes
 * nothing. Returns the results, in order: null, or the error.
 */
export const eachFault = async (
  root: string,
  scenario: Scenario,
  faults: Iterable<Fault>,
): Promise<readonly (GsdError | null)[]> => {
  const runner = await makeScenarioRunner(root, scenario)
  const ends: (GsdError | null)[] = []
  for (const fault of faults) ends.push(await runner.fails(fault, JSON.stringify(fault)))
  return ends
}

/** The same for a single fault. */
export const oneFault = async (root: string, scenario: Scenario, fault: Fault): Promise<GsdError | null> =>
  (await eachFault(root, scenario, [fault]))[0] ?? null

/**
 * Before every nth call the file that it names vanishes. That file may be missing then, or written again; everything
 * else is the old state or the new one.
 */
export const everyDisappearance = async (
  root: string,
  scenario: Scenario,
  { every, mayVanish }: { readonly every: number; readonly mayVanish: (path: string) => boolean },
): Promise<Coverage> => {
  const runner = await makeScenarioRunner(root, scenario)
  let points = 0
  for (let at = runner.calls.length % every; at < runner.calls.length; at += every) {
    const [path = ''] = runner.calls[at]?.paths ?? []
    if (!mayVanish(path.slice(root.length + 1))) continue
    const where = `${path} vanishes before ${runner.calls[at]?.name}`
    const error = asGsdError(await runner.attempt({ kind: 'vanish', at }), where)
    await runner.recover()
    runner.expectEnd(error === null, where, path.slice(root.length + 1))
    points += 1
  }
  return { points, calls: runner.calls }
}

interface ScenarioRunner {
  readonly calls: readonly Call[]
  /** Runs the operation from the start in a process that dies. */
  readonly crash: (fault: Fault) => Promise<void>
  readonly crashRecovery: (fault: Fault) => Promise<void>
  /** Runs it from the start in a process that survives; the error it ended with, or null. */
  readonly attempt: (fault: Fault) => Promise<unknown>
  readonly fails: (fault: Fault, where: string, but?: string) => Promise<GsdError | null>
  /** Recovers, and returns how many calls changed something. */
  readonly recover: () => Promise<number>
  /** The state before or after the link of the chain with the nth change; null: the first. */
  readonly expectEither: (change: number | null, where: string) => Promise<void>
  /** All of the new state or all of the old one, except for one path that was deleted meanwhile. */
  readonly expectEnd: (isNew: boolean, where: string, but?: string) => void
}

/** The operations of a scenario, one after the other. */
export const workOf = ({ run }: Scenario): readonly Work[] =>
  Array.isArray(run) ? (run as readonly Work[]) : [run as Work]

const makeScenarioRunner = async (root: string, scenario: Scenario): Promise<ScenarioRunner> => {
  const links = workOf(scenario)
  const start = `${root}.start`
  const tree = (): string[] =>
    treeOf(root, { skeleton: true, without: ['cache/gsd-capability/registry', ...(scenario.without ?? [])] }).filter(
      (line) => !isAllowedLeftover(line),
    )
  const runAll = async (context: Context): Promise<void> => {
    for (const link of links) await link(context)
  }
  const everything = (): string[] => treeOf(root, { skeleton: true })
  const startOver = (): void => {
    if (differences(everything(), atStart).length === 0) return
    rmSync(root, { recursive: true, force: true })
    copyTree(start, root)
  }

  for (const folder of [root, start]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  // Written once: every process of the scenario starts from the same state.
  const { context: base, reports } = makeTestContext(root, { disk: quickDisk, now: NOW })
  const contextOn = (disk: Disk = quickDisk): Context => ({ ...base, disk })
  const inProcess = async <T>(fault: Fault, work: (context: Context) => Promise<T>): Promise<T> => {
    const { disk, end } = faultDisk(quickDisk, fault)
    try {
      return await work({ ...base, disk, identity: deadProcess() })
    } finally {
      end()
    }
  }
  await scenario.prepare(contextOn(), root)
  copyTree(root, start)
  const atStart = everything()
  const read = async (): Promise<string> => JSON.stringify(await scenario.read?.(contextOn())) ?? ''
  const trees = [tree()]
  const answers = [await read()]
  const { disk, calls, changes } = faultDisk(quickDisk, { kind: 'none' })
  const ends: number[] = []
  for (const link of links) {
    await link(contextOn(disk))
    trees.push(tree())
    answers.push(await read())
    ends.push(changes())
  }
  let found = trees.at(-1)

  const isOne = (expected: readonly string[] | undefined): boolean =>
    differences(expected ?? [], found ?? []).length === 0
  const runner: ScenarioRunner = {
    calls,
    async crash(fault) {
      startOver()
      found = undefined
      await inProcess(fault, (context) => expectKilled(() => runAll(context)))
    },
    crashRecovery: (fault) => inProcess(fault, (context) => expectKilled(() => scenario.recover(context))),
    async attempt(fault) {
      startOver()
      found = undefined
      return inProcess(fault, async (context) => {
        try {
          await runAll(context)
          return null
        } catch (error) {
          return error
        }
      })
    },
    async fails(fault, where, but) {
      const error = asGsdError(await runner.attempt(fault), where)
      if (error === null) await runner.recover()
      runner.expectEnd(
        error === null,
        `${where}, ${error === null ? 'which it got over' : `refused with ${error.code} ${error.message}`}`,
        error === null ? but : undefined,
      )
      return error
    },
    async recover() {
      const { disk, changes } = faultDisk(quickDisk, { kind: 'none' })
      reports.length = 0
      await scenario.recover(contextOn(disk))
      // In one line, without anything that it could not do.
      if (reports.length > 1 || reports.some(({ kind }) => kind !== 'notice'))
        throw new Error(`the recovery says ${JSON.stringify(reports)}`)
      return changes()
    },
    async expectEither(change, where) {
      const link = ends.findIndex((end) => (change ?? 0) < end)
      const answer = await read()
      found = tree()
      const state = [link, link + 1].find((each) => isOne(trees[each]))
      if (state !== undefined && answer === answers[state]) return
      if (state !== undefined) throw new Error(`${where}:\nreads ${answer}\ninstead of ${answers[state]}`)
      const [toOld, toNew] = [link, link + 1].map((each) => differences(trees[each] ?? [], found ?? []))
      throw new Error(`${where}:\nagainst the old state\n${shown(toOld)}\nagainst the new state\n${shown(toNew)}`)
    },
    expectEnd(isNew, where, but) {
      found = tree()
      const wrong = differences((isNew ? trees.at(-1) : trees[0]) ?? [], found).filter(
        (line) => but === undefined || !isAbout(line.slice(2), but),
      )
      if (wrong.length > 0) throw new Error(`${where}:\n${shown(wrong)}`)
    },
  }
  return runner
}

/** Folders of the cache may stay, and the user's `.gsd`; their contents may not. */
const isAllowedLeftover = (line: string): boolean =>
  /^(?:cache\/(?:.*\/)?|home\/\.gsd\/(?:projects\/(?:[0-9a-f]{64}\/)?)?) \d+$/.test(line)

/** The path, a parent folder, or the program's records of host files. */
const isAbout = (line: string, path: string): boolean =>
  line.startsWith(path) || /\/hosts\.json \d/.test(line) || path.startsWith(line.replace(/\/ \d+$/, '/'))

/** A system error becomes a GsdError with a code, a message and the file. */
const asGsdError = (error: unknown, where: string): GsdError | null => {
  if (error === null || error instanceof GsdError) return error
  throw new Error(`${where}: ${String(error)}`, { cause: error })
}

export const shown = (lines: readonly string[] = []): string =>
  lines
    .slice(0, 8)
    .map((line) => line.slice(0, 160))
    .join('\n')

/** The clock of every process of a scenario: one operation gives one result. */
export const NOW = Date.now()

/** The real disk without syncs: other tests cover the loss of power. */
export const quickDisk: Disk = { ...realDisk, fsyncSync: () => undefined, syncAll: () => Promise.resolve() }

/** A dead process may still seem to return: its later calls have no effect. */
const expectKilled = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Killed) && !(error instanceof GsdError)) throw error
  }
}
