import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import type { Change, Journal } from '../../src/state/change.ts'
import type { ScopePaths } from '../../src/state/scope-paths.ts'
import { applyChanges } from '../../src/transaction/apply-changes.ts'
import { inspectJournal } from '../../src/transaction/inspect-journal.ts'
import { readJournal, writeJournal } from '../../src/transaction/journal.ts'
import { withLock } from '../../src/transaction/lock.ts'
import { newOperationName } from '../../src/transaction/operation-context.ts'
import { recoverInterrupted, type Recovery } from '../../src/transaction/recover.ts'
import { createCacheStaging, createStaging } from '../../src/transaction/staging.ts'
import { faultDisk, Killed } from '../helpers/fault-disk.ts'
import { type JournalScenario, journalScenarios } from '../helpers/journal-scenarios.ts'
import { deadProcess, makeTestContext } from '../helpers/test-context.ts'
import { differences, treeOf } from '../helpers/tree.ts'

let root = ''
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), 'gsd-meanwhile-'))), 'world')
  mkdirSync(root)
})
afterEach(() => {
  rmSync(dirname(root), { recursive: true, force: true })
})

const scenarioOf = (name: string): JournalScenario => {
  const scenario = journalScenarios(root)[name]
  if (scenario === undefined) throw new Error(name)
  return scenario
}

const settings = (): string => join(root, 'home/.claude/settings.json')
const diskWithoutSync: Disk = { ...realDisk, fsyncSync: () => undefined, syncAll: () => Promise.resolve() }

/** Restores the start and runs the scenario in a process that dies at the nth change; false if it survived. */
const killAt = async (scenario: JournalScenario, at: number): Promise<boolean> => {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(root)
  await scenario.prepare(makeTestContext(root, { disk: diskWithoutSync }).context, root)
  const { disk, struck } = faultDisk(diskWithoutSync, { kind: 'kill', at })
  try {
    await scenario.run(makeTestContext(root, { disk, identity: deadProcess() }).context)
  } catch (error) {
    if (!(error instanceof Killed) && !(error instanceof GsdError)) throw error
  }
  return struck()
}

const refusal = async (work: Promise<unknown>): Promise<GsdError> => {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  )
  if (error instanceof GsdError) return error
  throw error
}

const recoverIn = (context: Context, paths: ScopePaths): Promise<Recovery | null> =>
  withLock(context, paths, () => recoverInterrupted(context, paths))

describe('an edit that a user makes in the settings', () => {
  const EDIT = ['"model": "x"', '"model": "typed, and \\u00e9"'] as const

  for (const name of ['a first capability, with settings that are there', 'a removal, with settings of the user']) {
    test(`between a crash and the recovery is kept: ${name}`, async () => {
      const scenario = scenarioOf(name)
      await killAt(scenario, Number.MAX_SAFE_INTEGER)
      const after = treeOf(root)
      await killAt(scenario, 0)
      await scenario.recover(makeTestContext(root).context)
      const before = treeOf(root)
      const edited = (tree: readonly string[]): string[] =>
        tree.map((line) => line.replace(JSON.stringify(EDIT[0]).slice(1, -1), JSON.stringify(EDIT[1]).slice(1, -1)))
      const ends = new Set<string>()
      for (let at = 0; await killAt(scenario, at); at += 1) {
        writeFileSync(settings(), readFileSync(settings(), 'utf8').replace(...EDIT))
        await scenario.recover(makeTestContext(root, { disk: diskWithoutSync }).context)
        const found = treeOf(root)
        const [toOld, toNew] = [differences(edited(before), found), differences(edited(after), found)]
        if (toOld.length > 0 && toNew.length > 0)
          throw new Error(`killed at ${at}: ${[...toOld, '', ...toNew].join('\n')}`)
        ends.add(toOld.length === 0 ? 'undone' : 'finished')
      }
      expect([...ends].sort()).toEqual(['finished', 'undone'])
    })
  }

  test('between the plan and the change is kept, and the operation succeeds', async () => {
    const scenario = scenarioOf('a first capability, with settings that are there')
    await scenario.prepare(makeTestContext(root).context, root)
    // The plan exists at the first call: it is written before anything else.
    let typed = false
    const disk: Disk = {
      ...diskWithoutSync,
      syncAll: () => {
        if (!typed) writeFileSync(settings(), readFileSync(settings(), 'utf8').replace(...EDIT))
        typed = true
        return Promise.resolve()
      },
    }
    await scenario.run(makeTestContext(root, { disk }).context)
    const text = readFileSync(settings(), 'utf8')
    expect(text).toContain(EDIT[1])
    expect(text).toContain('// mine')
    expect(text).toContain('run.sh')
    expect(readdirSync(dirname(settings()))).toEqual(['settings.json'])
  })

  test('that makes them unparsable stops the operation, and nothing else changes', async () => {
    const scenario = scenarioOf('a first capability, with settings that are there')
    await scenario.prepare(makeTestContext(root).context, root)
    const before = treeOf(root)
    const disk: Disk = {
      ...diskWithoutSync,
      syncAll: () => {
        writeFileSync(settings(), '{ "model": ')
        return Promise.resolve()
      },
    }
    const error = await refusal(scenario.run(makeTestContext(root, { disk }).context))
    expect(error.code).toBe('HOST_SETTINGS_UNPARSABLE')
    expect(readFileSync(settings(), 'utf8')).toBe('{ "model": ')
    expect(differences(before, treeOf(root)).every((line) => line.includes('settings.json'))).toBe(true)
  })

  test('around our entry that makes them unparsable keeps the journal until it is fixed', async () => {
    const scenario = scenarioOf('a first capability, with settings that are there')
    const { context } = makeTestContext(root)
    let seen = 0
    for (let at = 0; await killAt(scenario, at); at += 1) {
      const before = readFileSync(settings(), 'utf8')
      const journal = readJournal(context.disk, context.global)
      if (journal.state !== 'ok' || !before.includes('run.sh') || existsSync(context.global.ledger)) continue
      seen += 1
      writeFileSync(settings(), before.slice(0, before.lastIndexOf('}')))
      const error = await refusal(scenario.recover(context))
      expect([error.code, error.exitStatus]).toEqual(['STATE_INTERRUPTED', 4])
      expect(error.message).toContain('settings.json')
      expect(existsSync(context.global.journal)).toBe(true)
      writeFileSync(settings(), before)
      await scenario.recover(context)
      expect(readFileSync(settings(), 'utf8')).not.toContain('run.sh')
      expect(existsSync(context.global.journal)).toBe(false)
    }
    expect(seen).toBeGreaterThan(0)
  })
})

describe('a journal', () => {
  const plan = (context: Context, paths: ScopePaths, changes: readonly Change[]): Journal => ({
    schema: 1,
    operation: newOperationName(context),
    command: 'disable demo',
    scope: paths.scope,
    root: paths.realRoot,
    changes,
  })
  const SWITCH: Change = {
    kind: 'record',
    store: 'state',
    key: ['capabilities', 'demo'],
    before: null,
    after: 'disabled',
  }
  const run = (context: Context, paths: ScopePaths, changes: readonly Change[]): Promise<void> =>
    withLock(context, paths, () => applyChanges(context, paths, plan(context, paths, changes)))

  test('that cannot be read is left unchanged, and no change is made while it exists', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(context.global.gsd)
    writeFileSync(context.global.journal, '{"schema":1,')
    const recovery = await recoverIn(context, context.global)
    expect(recovery).toMatchObject({ outcome: 'left', diagnostic: { severity: 'error', file: context.global.journal } })
    const error = await refusal(run(context, context.global, [SWITCH]))
    expect([error.code, error.exitStatus]).toEqual(['STATE_UNREADABLE', 4])
    expect(readdirSync(context.global.gsd)).toEqual(['.journal.json'])
    expect(inspectJournal(context, context.global)).toMatchObject({ code: 'STATE_UNREADABLE' })
  })

  test('of a newer version is left unchanged too', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(context.global.gsd)
    writeFileSync(context.global.journal, '{"schema":2}')
    expect((await refusal(run(context, context.global, [SWITCH]))).code).toBe('STATE_NEWER_SCHEMA')
  })

  test('of another root is left unchanged and reported', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(context.global.gsd)
    writeJournal(context.disk, context.global, { ...plan(context, context.global, [SWITCH]), root: '/home/other' })
    const text = readFileSync(context.global.journal, 'utf8')
    const recovery = await recoverIn(context, context.global)
    expect(recovery?.outcome).toBe('left')
    expect(recovery?.diagnostic.message).toContain('/home/other')
    expect((await refusal(run(context, context.global, [SWITCH]))).code).toBe('STATE_INTERRUPTED')
    expect(readFileSync(context.global.journal, 'utf8')).toBe(text)
  })

  test('is reported, not touched, to a user without write permission; as busy while its process runs', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(context.global.gsd)
    writeJournal(context.disk, context.global, plan(context, context.global, [SWITCH]))
    const before = treeOf(root)
    expect(inspectJournal(context, context.global)).toMatchObject({ code: 'STATE_INTERRUPTED', severity: 'warning' })
    expect(treeOf(root)).toEqual(before)
    const busy = await withLock(context, context.global, () => inspectJournal(context, context.global))
    expect(busy).toMatchObject({ code: 'STATE_BUSY', severity: 'info' })
    expect(inspectJournal(context, context.project ?? context.global)).toBeNull()
  })

  test('is not written when the changes have no effect', async () => {
    const { context } = makeTestContext(root)
    const before = treeOf(root, { skeleton: true })
    await run(context, context.global, [{ ...SWITCH, after: null }])
    expect(treeOf(root, { skeleton: true })).toEqual(before)
  })

  test('is undone member by member: one that changed since is kept', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(context.global.gsd)
    const other: Change = { ...SWITCH, key: ['capabilities', 'other'] }
    const ledger: Change = { kind: 'record', store: 'ledger', key: ['capabilities', 'demo'], before: null, after: {} }
    writeJournal(context.disk, context.global, plan(context, context.global, [SWITCH, other, ledger]))
    writeFileSync(
      context.global.state,
      '{"schema":1,"capabilities":{"demo":"enabled","other":"disabled","third":"disabled"}}',
    )
    expect((await recoverIn(context, context.global))?.outcome).toBe('undone')
    expect(JSON.parse(readFileSync(context.global.state, 'utf8'))).toEqual({
      schema: 1,
      capabilities: { demo: 'enabled', third: 'disabled' },
    })
  })

  test('is kept when a file in it became unreadable', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(context.global.gsd)
    writeJournal(context.disk, context.global, plan(context, context.global, [SWITCH]))
    writeFileSync(context.global.state, '<<<<<<< ours\n')
    const error = await refusal(recoverIn(context, context.global))
    expect([error.code, error.exitStatus]).toEqual(['STATE_INTERRUPTED', 4])
    expect(readFileSync(context.global.state, 'utf8')).toBe('<<<<<<< ours\n')
    expect(existsSync(context.global.journal)).toBe(true)
  })
})

describe('an operation', () => {
  test('that the user interrupts is undone, at any point', async () => {
    const scenario = scenarioOf('an update in place')
    await scenario.prepare(makeTestContext(root).context, root)
    const before = treeOf(root)
    const { calls } = faultDisk(diskWithoutSync, { kind: 'none' })
    let done = false
    for (let at = 0; !done; at += 7) {
      const controller = new AbortController()
      let count = 0
      const { disk } = faultDisk(diskWithoutSync, { kind: 'none' })
      const watched = Object.fromEntries(
        Object.entries(disk).map(([name, call]) => [
          name,
          (...args: readonly unknown[]) => {
            if (count++ === at) controller.abort()
            return (call as (...all: readonly unknown[]) => unknown)(...args)
          },
        ]),
      ) as unknown as Disk
      try {
        await scenario.run(makeTestContext(root, { disk: watched, signal: controller.signal }).context)
        done = true
      } catch (error) {
        expect(error).toMatchObject({ code: 'INTERRUPTED', exitStatus: 130 })
        expect(differences(before, treeOf(root))).toEqual([])
      }
    }
    expect(calls).toEqual([])
  })

  test('is refused when a bundle appeared at its target', async () => {
    const scenario = scenarioOf('a first capability in a project')
    const { context } = makeTestContext(root)
    const paths = context.project ?? context.global
    mkdirSync(join(paths.capabilities, 'demo'), { recursive: true })
    writeFileSync(join(paths.capabilities, 'demo/mine.txt'), 'mine')
    const before = treeOf(root)
    expect((await refusal(scenario.run(context))).code).toBe('STATE_CHANGED')
    expect(differences(before, treeOf(root))).toEqual([])
  })

  test('does not undo over a bundle that appeared since, and says where the old one is', async () => {
    const scenario = scenarioOf('a removal, with settings of the user')
    const { context } = makeTestContext(root)
    const paths = context.project ?? context.global
    const target = join(paths.capabilities, 'demo')
    for (let at = 0; await killAt(scenario, at); at += 1) {
      if (existsSync(target) || !existsSync(paths.ledger) || !existsSync(paths.trash)) continue
      mkdirSync(target, { recursive: true })
      writeFileSync(join(target, 'mine.txt'), 'mine')
      const error = await refusal(scenario.recover(context))
      expect(error.code).toBe('STATE_INTERRUPTED')
      expect(error.message).toContain('.trash')
      expect(readdirSync(target)).toEqual(['mine.txt'])
      renameSync(target, join(root, 'mine'))
      await scenario.recover(context)
      expect(readdirSync(target).sort()).toEqual(['capability.json', 'hooks'])
      return
    }
    throw new Error('the bundle was never in the trash')
  })

  test('in a project without write permission is refused and changes nothing', async () => {
    const scenario = scenarioOf('a first capability in a project')
    const { context } = makeTestContext(root)
    chmodSync(dirname(root), 0o755)
    for (const folder of [root, join(root, 'home')]) chmodSync(folder, 0o777)
    chmodSync(join(root, 'project'), 0o555)
    const before = treeOf(root, { skeleton: true })
    const asRoot = process.geteuid?.() === 0
    if (asRoot) process.seteuid?.(65_534)
    try {
      const error = await refusal(scenario.run(context))
      expect([error.code, error.exitStatus]).toEqual(['STATE_PERMISSION', 5])
    } finally {
      if (asRoot) process.seteuid?.(0)
    }
    expect(differences(before, treeOf(root, { skeleton: true }))).toEqual([])
  })
})

describe('in a repository, nothing is replayed or deleted because of its files', () => {
  const project = (context: Context): ScopePaths => context.project ?? context.global

  test('a journal, lock, hosts or owner file in it is an ordinary file', async () => {
    const { context } = makeTestContext(root)
    const gsd = join(root, 'project/.gsd')
    const file = join(root, 'home/precious')
    mkdirSync(file)
    for (const folder of ['.running', '.lock', '.staging/abc12-00ff00ff', '.trash/abc12-00ff00ff']) {
      mkdirSync(join(gsd, folder), { recursive: true })
    }
    const forged: Journal = {
      schema: 1,
      operation: 'abc12-00ff00ff',
      command: 'remove demo',
      scope: 'project',
      root: join(root, 'project'),
      changes: [{ kind: 'swap', target: 'capabilities/demo', from: null, replaces: true }],
      made: [file],
    }
    const identity = JSON.stringify({ ...deadProcess(), made: [file] })
    writeFileSync(join(gsd, '.journal.json'), JSON.stringify(forged))
    writeFileSync(join(gsd, '.running/abc12-00ff00ff@1-00000000'), identity)
    writeFileSync(join(gsd, '.staging/abc12-00ff00ff/owner.json'), identity)
    writeFileSync(join(gsd, '.trash/abc12-00ff00ff/x'), '')
    writeFileSync(join(gsd, 'hosts.json'), '{')
    const before = treeOf(root, { skeleton: true })
    expect(await recoverIn(context, project(context))).toBeNull()
    expect(differences(before, treeOf(root, { skeleton: true }))).toEqual([])
  })

  for (const name of ['.gsd', '.gsd/capabilities', '.gsd/receipts', '.gsd/.staging', '.gsd/.trash']) {
    test(`a link in place of ${name} redirects no operation`, async () => {
      const { context } = makeTestContext(root)
      const outside = join(root, 'home/elsewhere')
      mkdirSync(join(outside, 'demo'), { recursive: true })
      const link = join(root, 'project', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(outside, link)
      const before = treeOf(root)
      const error = await refusal(scenarioOf('a first capability in a project').run(context))
      expect(error.code).toBe('STATE_LINKED')
      expect(differences(before, treeOf(root))).toEqual([])
    })
  }

  test('a bundle folder that is a link is not replaced', async () => {
    const { context } = makeTestContext(root)
    const scenario = scenarioOf('an update in place')
    await scenario.prepare(context, root)
    const paths = project(context)
    mkdirSync(paths.capabilities, { recursive: true })
    mkdirSync(join(root, 'home/elsewhere'))
    symlinkSync(join(root, 'home/elsewhere'), join(paths.capabilities, 'demo'))
    const error = await refusal(
      withLock(context, paths, () =>
        applyChanges(context, paths, {
          schema: 1,
          operation: newOperationName(context),
          command: 'remove demo',
          scope: 'project',
          root: paths.realRoot,
          changes: [{ kind: 'swap', target: 'capabilities/demo', from: null, replaces: true }],
        }),
      ),
    )
    expect(error.code).toBe('STATE_LINKED')
  })

  test('in a home, .gsd may be a link: the operation works on its target', async () => {
    const { context } = makeTestContext(root)
    mkdirSync(join(root, 'home/dotfiles/gsd'), { recursive: true })
    symlinkSync('dotfiles/gsd', join(root, 'home/.gsd'))
    await scenarioOf('a first capability, with a settings file that has to be made').run(context)
    expect(readdirSync(join(root, 'home/dotfiles/gsd/capabilities'))).toEqual(['demo'])
  })
})

describe('files that an operation unpacked', () => {
  test('are removed when it is discarded, with every folder created for them', () => {
    const { context } = makeTestContext(root)
    const before = treeOf(root, { skeleton: true })
    const staging = createStaging(context, context.project ?? context.global, newOperationName(context))
    mkdirSync(join(staging.dir, 'a/b'), { recursive: true })
    writeFileSync(join(staging.dir, 'a/b/c'), '')
    symlinkSync(join(root, 'home'), join(staging.dir, 'a/link'))
    staging.discard()
    expect(treeOf(root, { skeleton: true })).toEqual(before)
  })

  test('are removed when its process is dead, and kept while it runs, in a scope and below the cache', async () => {
    const { context } = makeTestContext(root)
    const dead = makeTestContext(root, { identity: deadProcess() }).context
    const [theirs, cached] = [
      createStaging(dead, dead.global, newOperationName(dead)),
      createCacheStaging(dead, newOperationName(dead)),
    ]
    const [ours, ourCached] = [
      createStaging(context, context.global, newOperationName(context)),
      createCacheStaging(context, newOperationName(context)),
    ]
    const recovery = await recoverIn(context, context.global)
    expect(recovery?.outcome).toBe('cleaned')
    expect([theirs, cached, ours, ourCached].map(({ dir }) => existsSync(dir))).toEqual([false, false, true, true])
    ours.discard()
    ourCached.discard()
    expect(await recoverIn(context, context.global)).toBeNull()
    expect(treeOf(root)).toEqual(
      treeOf(root, { without: ['home/.gsd', 'cache'] }).concat(treeOf(root).filter((line) => line.startsWith('cache'))),
    )
  })

  test('of another machine are kept: whether they are in use is unknown here', async () => {
    const { context } = makeTestContext(root)
    const far = makeTestContext(root, { identity: { ...deadProcess(), host: 'far-away' } }).context
    const staging = createStaging(far, far.global, newOperationName(far))
    expect(await recoverIn(context, context.global)).toBeNull()
    expect(existsSync(staging.dir)).toBe(true)
  })
})
