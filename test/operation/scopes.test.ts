import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import type { ScopeName } from '../../src/diagnostic.ts'
import { verify } from '../../src/operation/verify.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import {
  doctorIn,
  fixIn,
  grantIn,
  installIn,
  recoverAndLoad,
  removeIn,
  revokeIn,
  setEnabledIn,
  syncIn,
  updateIn,
} from '../helpers/operations.ts'
import { consentPrompt, refusalOf, treeState, useScratch } from '../helpers/scratch.ts'
import type { TestContextOptions } from '../helpers/test-context.ts'
import { differences } from '../helpers/tree.ts'

const scratch = useScratch("gsd it's a scope ")
const SETTINGS = '{\n  // mine\n  "model": "x",\n}\n'
const PARTS = {
  manifest: { skills: ['guard'], mcpServers: { guard: { command: 'node', args: ['server.js'] } } },
  files: { 'skills/guard/SKILL.md': '---\nname: guard\ndescription: A skill.\n---\n' },
}
let bundle = ''
beforeEach(() => {
  bundle = scratch.bundle('guard', PARTS)
  cpSync(CLAUDE, scratch.path('first-party/claude'), { recursive: true })
})

/** The first-party set only needs the host that is wired here. */
const CLAUDE = join(import.meta.dirname, '../../capabilities/claude')
/** Syncs are skipped here. */
const disk: Disk = { ...realDisk, fsyncSync: () => undefined, syncAll: () => Promise.resolve() }
const contextFor = (options?: TestContextOptions): Context => ({
  ...scratch.testContext({ disk, ...options }).context,
  firstParty: scratch.path('first-party'),
})
const put = (specs: string, request: Parameters<typeof installIn>[2] = {}, options?: TestContextOptions) =>
  installIn(contextFor(options), specs, request)
const folder = (...path: readonly string[]): string => {
  mkdirSync(scratch.path(...path), { recursive: true })
  return scratch.path(...path)
}
/** An empty `.gsd` may stay. */
const tree = (): string[] => treeState(scratch.root).filter((line) => !/^(?:\S*\/)?\.gsd\/ /.test(line))
const warningsOf = async (context: Context) => (await doctorIn(context)).findings
/** Rows of installed capabilities, after recovery. */
const rowsIn = async (context: Context) =>
  (await recoverAndLoad(context)).rows.filter((row) => row.scope !== 'first-party')
const inClaude = { runtimes: ['claude'] }

describe('wherever home, global root and project are, an install is complete and a removal leaves no trace', () => {
  interface Layout {
    readonly scope: ScopeName
    readonly at: () => TestContextOptions
    /** The folder that gets its bundle; below the root. */
    readonly target: string
    readonly listed?: ScopeName
  }
  const LAYOUTS: Readonly<Record<string, Layout>> = {
    'a home under a repository, in the repository': {
      scope: 'project',
      at: () => (folder('.git'), { cwd: folder('home/work/deep') }),
      target: '',
    },
    'a home under a repository, in the home': {
      scope: 'global',
      at: () => (folder('.git'), { cwd: folder('home/work') }),
      target: 'home',
    },
    'a home that is a link': {
      scope: 'global',
      at: () => {
        renameSync(scratch.home, join(folder('data'), 'me'))
        symlinkSync(scratch.path('data/me'), scratch.home)
        return {}
      },
      target: 'data/me',
    },
    'a project inside the home': {
      scope: 'project',
      at: () => (folder('home/code/.git'), { cwd: folder('home/code/src') }),
      target: 'home/code',
    },
    'a project inside a project': {
      scope: 'project',
      at: () => (folder('project/packages/in/.planning'), { cwd: folder('project/packages/in/src') }),
      target: 'project/packages/in',
    },
    'a worktree, whose .git is a file': {
      scope: 'project',
      at: () => {
        scratch.put('tree/.git', 'gitdir: ../project/.git/worktrees/tree\n')
        return { cwd: folder('tree/src') }
      },
      target: 'tree',
    },
    'a project reached by a link': {
      scope: 'project',
      at: () => (symlinkSync(scratch.project, scratch.path('link')), { cwd: scratch.path('link') }),
      target: 'project',
    },
    'a global root that is the project': {
      scope: 'global',
      at: () => ({ env: { GSD_HOME: scratch.project } }),
      target: 'project',
      listed: 'project',
    },
    'a global root inside the project': {
      scope: 'global',
      at: () => ({ env: { GSD_HOME: 'tools/gsd' } }),
      target: 'project/tools/gsd',
    },
    'a relative global root with a blank and quotes in its name': {
      scope: 'global',
      at: () => ({ env: { GSD_HOME: '../my "own" root' } }),
      target: 'my "own" root',
    },
  }

  test.each(Object.entries(LAYOUTS))('%s', async (_what, { scope, at, target, listed = scope }) => {
    const options = at()
    for (const file of ['home/.claude/settings.json', join(target, '.claude/settings.local.json')])
      scratch.put(file, SETTINGS)
    folder(target)
    const before = tree()
    await installIn(contextFor(options), bundle, { scope, ...inClaude })
    expect(scratch.text(join(target, '.gsd/capabilities/guard/hooks/run.sh'))).toContain('#!/bin/sh')
    expect(await rowsIn(contextFor(options))).toMatchObject([{ id: 'guard', scope: listed, status: 'active' }])
    expect(verify(contextFor(options), { ids: [], scope: null }).warnings).toEqual([])
    expect(await warningsOf(contextFor(options))).toEqual([])
    await removeIn(contextFor(options), 'guard', { scope })
    expect(differences(before, tree())).toEqual([])
  })
})

describe('a wired project', () => {
  let plain: string[] = []
  const optionsFor = (name: string): TestContextOptions => ({ cwd: scratch.path(name) })
  const hookIn = (name: string): string => {
    const [, command] =
      /"command": "'(.*?)hooks\/run\.sh'"/.exec(scratch.text(`${name}/.claude/settings.local.json`)) ?? []
    return command ?? 'none'
  }
  /** The state before anything was installed, except for the name of the project. */
  const bare = (name: string): string[] => treeOf(name).filter((line) => !line.startsWith('.gsd'))
  const treeOf = (name: string): string[] => treeState(scratch.path(name))
  beforeEach(async () => {
    scratch.put('work/.claude/settings.local.json', SETTINGS)
    folder('work/.git')
    plain = bare('work')
    await put(bundle, { scope: 'project', ...inClaude }, optionsFor('work'))
  })

  const move = (): void => renameSync(scratch.path('work'), scratch.path('moved'))
  const copy = (): void => cpSync(scratch.path('work'), scratch.path('moved'), { recursive: true })
  const scope = 'project' as const

  /** The effect of a first command on the hosts of a project without the user's consent. */
  const COMMANDS: Readonly<Record<string, { readonly run: (context: Context) => unknown; readonly leaves: string }>> = {
    remove: { run: (context) => removeIn(context, 'guard', { scope }), leaves: 'none' },
    disable: { run: (context) => setEnabledIn(context, 'disabled', 'guard', { scope }), leaves: 'none' },
    'trust revoke': { run: (context) => revokeIn(context, 'guard'), leaves: 'none' },
    'doctor --fix': { run: fixIn, leaves: 'none' },
    list: { run: () => undefined, leaves: 'work' },
    sync: { run: (context) => syncIn(context), leaves: 'work' },
    enable: { run: (context) => setEnabledIn(context, 'enabled', 'guard', { scope }), leaves: 'work' },
    update: {
      run: async (context) =>
        expect(
          (await refusalOf(() => updateIn(context, 'guard', { scope, consentPrompt: consentPrompt(false) }))).code,
        ).toBe('CONSENT_REQUIRED'),
      leaves: 'work',
    },
    'trust grant': { run: (context) => grantIn(context, 'guard'), leaves: 'moved' },
    install: { run: (context) => installIn(context, bundle, { scope, ...inClaude }), leaves: 'moved' },
  }
  const WAYS = { moved: move, copied: copy } as const

  describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('that was %s', (way) => {
    test.each(Object.entries(COMMANDS))('is in the right state after %s', async (_command, { run, leaves }) => {
      WAYS[way]()
      const original = way === 'copied' ? treeOf('work') : []
      const context = contextFor(optionsFor('moved'))
      expect(await rowsIn(context)).toMatchObject([
        { code: way === 'moved' ? 'CONSENT_MOVED' : 'CONSENT_MISSING', status: 'inactive' },
      ])
      await run(context)
      expect(hookIn('moved')).toBe(leaves === 'none' ? 'none' : `${shellText(leaves)}/.gsd/capabilities/guard/`)
      if (leaves === 'none') expect(differences(plain, bare('moved'))).toEqual([])
      if (leaves === 'moved') expect(await warningsOf(context)).toEqual([])
      if (leaves === 'work')
        expect((await warningsOf(context)).map(({ hint }) => hint)).toContain(
          'gsd capability trust revoke guard --scope project removes it',
        )
      await removeIn(context, 'guard', { scope }).catch(() => undefined)
      expect(differences(plain, bare('moved'))).toEqual([])
      if (way === 'moved') return
      expect(differences(original, treeOf('work'))).toEqual([])
      expect(await warningsOf(contextFor(optionsFor('work')))).toEqual([])
    })
  })

  const shellText = (name: string): string => JSON.stringify(scratch.path(name).replaceAll("'", "'\\''")).slice(1, -1)

  test('that was moved, trusted and moved back has stale paths, which doctor --fix corrects', async () => {
    move()
    await recoverAndLoad(contextFor(optionsFor('moved')))
    await grantIn(contextFor(optionsFor('moved')), 'guard')
    renameSync(scratch.path('moved'), scratch.path('work'))
    await recoverAndLoad(contextFor(optionsFor('work')))
    expect(await warningsOf(contextFor(optionsFor('work')))).toMatchObject([
      { message: '"guard" in claude: leads elsewhere' },
    ])
    await fixIn(contextFor(optionsFor('work')))
    expect(await warningsOf(contextFor(optionsFor('work')))).toEqual([])
    expect(hookIn('work')).toContain(shellText('work'))
    await removeIn(contextFor(optionsFor('work')), 'guard', { scope })
    expect(differences(plain, bare('work'))).toEqual([])
  })

  test("that is a copy keeps another project's entries in a settings file it links to", async () => {
    copy()
    const file = scratch.path('moved/.claude/settings.local.json')
    renameSync(file, scratch.path('elsewhere.json'))
    symlinkSync(scratch.path('elsewhere.json'), file)
    const before = scratch.text('elsewhere.json')
    const context = contextFor(optionsFor('moved'))
    await recoverAndLoad(context)
    await removeIn(context, 'guard', { scope })
    expect(scratch.text('elsewhere.json')).toBe(before)
  })

  test('without write permission can still be verified', async () => {
    for (const file of ['.claude/settings.local.json', '.mcp.json']) chmodSync(join(scratch.path('work'), file), 0o444)
    expect(verify(contextFor(optionsFor('work')), { ids: [], scope: null }).warnings).toEqual([])
  })
})

describe('a global root', () => {
  const at = (name: string): TestContextOptions => ({ env: { GSD_HOME: scratch.path(name) } })
  const settings = (): string => readFileSync(scratch.settings, 'utf8')
  beforeEach(async () => {
    scratch.put('home/.claude/settings.json', SETTINGS)
    folder('root')
    await put(bundle, inClaude, at('root'))
  })

  test('that is a copy does not own the entries of the original', async () => {
    cpSync(scratch.path('root'), scratch.path('other'), { recursive: true })
    const before = settings()
    await recoverAndLoad(contextFor(at('other')))
    await removeIn(contextFor(at('other')), 'guard')
    expect(settings()).toBe(before)
    expect(await warningsOf(contextFor(at('root')))).toEqual([])
  })

  test('that was moved has stale paths until it is fixed, and is removed without a trace', async () => {
    renameSync(scratch.path('root'), scratch.path('other'))
    await recoverAndLoad(contextFor(at('other')))
    expect(await warningsOf(contextFor(at('other')))).toMatchObject([{ message: '"guard" in claude: leads elsewhere' }])
    await fixIn(contextFor(at('other')))
    expect(settings()).toContain('/other/.gsd/capabilities/guard/hooks/run.sh')
    await removeIn(contextFor(at('other')), 'guard')
    expect(settings()).toBe(SETTINGS)
  })

  test('that is used as a project, without GSD_HOME, is distinguished by doctor', async () => {
    const findings = await warningsOf(contextFor({ cwd: scratch.path('root') }))
    const root = scratch.path('root').replaceAll("'", "'\\''")
    expect(findings[0]?.hint).toBe(
      `if this folder is a global root, run gsd with GSD_HOME='${root}'; otherwise delete it`,
    )
    expect(findings.map(({ file }) => file)).toContain(scratch.path('root/.gsd/hosts.json'))
  })

  test('that is a file, or below one, is refused', async () => {
    scratch.put('file', '')
    for (const name of ['file', 'file/deep']) {
      const error = await refusalOf(() => contextFor(at(name)))
      expect(error).toMatchObject({ code: 'USAGE_BAD_VALUE', hint: 'set GSD_HOME to a folder' })
    }
  })
})

describe.each([
  ['claude', 'a hook with the path of its script'],
  ['zcode', 'a server without a path'],
  ['trae', 'placed files only'],
])('a home wired in %s, with %s,', (host) => {
  const optionsFor = { env: {} as Record<string, string> }
  let plain: string[] = []
  beforeEach(async () => {
    cpSync(join(CLAUDE, '..', host), scratch.path('first-party', host), { recursive: true })
    scratch.put('home/.claude/settings.json', SETTINGS)
    plain = treeState(scratch.home)
    optionsFor.env = { HOME: scratch.path('home2') }
    await put(bundle, { runtimes: [host] })
  })

  test('keeps it when it is moved', async () => {
    renameSync(scratch.home, scratch.path('home2'))
    await recoverAndLoad(contextFor(optionsFor))
    await fixIn(contextFor(optionsFor))
    expect(await warningsOf(contextFor(optionsFor))).toEqual([])
    await removeIn(contextFor(optionsFor), 'guard')
    expect(differences(plain, treeState(scratch.path('home2')))).toEqual([])
  })

  test('and a copy of it are independent', async () => {
    cpSync(scratch.home, scratch.path('home2'), { recursive: true })
    const original = treeState(scratch.home)
    await recoverAndLoad(contextFor(optionsFor))
    await removeIn(contextFor(optionsFor), 'guard')
    expect(differences(plain, treeState(scratch.path('home2')))).toEqual([])
    expect(differences(original, treeState(scratch.home))).toEqual([])
  })
})

describe('an operation that was interrupted in another project', () => {
  const journal = (context: Context): string => {
    const { private: folder, realRoot, scope } = context.project as NonNullable<Context['project']>
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, '.journal.json'),
      JSON.stringify({
        schema: 1,
        operation: 'abc-0123456789ab',
        command: 'install x',
        scope,
        root: realRoot,
        changes: [],
      }),
    )
    return join(folder, '.journal.json')
  }

  test('is reported in any folder, with the command for it', async () => {
    journal(contextFor({ cwd: folder('work/.git') }))
    const [found] = await warningsOf(contextFor({ cwd: folder('none') }))
    expect(found?.message).toContain(`an interrupted "install x" is waiting in ${JSON.stringify(scratch.path('work'))}`)
    expect(found?.hint).toBe(`gsd capability doctor --fix --project '${scratch.path('work').replaceAll("'", "'\\''")}'`)
  })

  test('and whose folder is gone is reported with the journal to delete', async () => {
    const file = journal(contextFor({ cwd: folder('work/.git') }))
    renameSync(scratch.path('work'), scratch.path('moved'))
    const [found] = await warningsOf(contextFor({ cwd: folder('none') }))
    expect(found).toMatchObject({ file, message: expect.stringContaining('which no longer exists') as string })
    expect(found?.hint).toContain(JSON.stringify(file))
  })
})

describe('the same id, or its requirement, in both scopes', () => {
  const both = async (): Promise<void> => {
    for (const scope of ['global', 'project'] as const) await put(bundle, { scope, ...inClaude })
  }

  test('is trusted in the scope that has it, and the error for another scope names that scope', async () => {
    const nowhere = await refusalOf(() => grantIn(contextFor(), 'guard'))
    expect(nowhere).toMatchObject({ code: 'STATE_NOT_INSTALLED', hint: 'gsd capability list' })
    await put(bundle)
    const inGlobal = await refusalOf(() => grantIn(contextFor(), 'guard'))
    expect(inGlobal.hint).toBe('it is installed in the global scope: add --scope global')
  })

  test('is disabled everywhere by the user, and the project gets a hint to unwire it', async () => {
    await both()
    await setEnabledIn(contextFor(), 'disabled', 'guard')
    const findings = await warningsOf(contextFor())
    expect(new Set(findings.map(({ hint }) => hint))).toEqual(new Set(['gsd capability doctor --fix removes it']))
    await syncIn(contextFor())
    expect(await warningsOf(contextFor())).toHaveLength(findings.length)
    await fixIn(contextFor())
    expect(await warningsOf(contextFor())).toEqual([])
    expect((await setEnabledIn(contextFor(), 'enabled', 'guard')).warnings).toEqual([])
    await syncIn(contextFor())
    expect(verify(contextFor(), { ids: [], scope: null }).warnings).toEqual([])
  })

  test('is disabled in one project only, and the state that still applies there is reported', async () => {
    await put(bundle, inClaude)
    const off = await setEnabledIn(contextFor(), 'disabled', 'guard', { scope: 'project' })
    expect(off.warnings[0]?.hint).toBe('gsd capability disable guard --scope global disables it everywhere')
    const on = await setEnabledIn(contextFor(), 'enabled', 'guard')
    expect(on.warnings).toMatchObject([{ hint: 'gsd capability enable guard --scope project' }])
    await setEnabledIn(contextFor(), 'enabled', 'guard', { scope: 'project' })
    expect(await rowsIn(contextFor())).toMatchObject([{ status: 'active' }])
  })

  test('is required across scopes only if everyone who loads it has the requirement', async () => {
    const needs = scratch.bundle('needs', { manifest: { requires: ['guard'] } })
    await put(bundle, { scope: 'project' })
    const missing = await refusalOf(() => put(needs))
    expect(missing).toMatchObject({
      code: 'REGISTRY_REQUIRES_MISSING',
      hint: 'install "guard" with --scope global as well, or this one with --scope project',
    })
    await put(needs, { scope: 'project' })
    await put(bundle)
    await removeIn(contextFor(), 'guard', { scope: 'project' })
    const held = await refusalOf(() => removeIn(contextFor(), 'guard'))
    expect(held.hint).toBe('gsd capability remove needs --scope project, before this; or add --force')
    await removeIn(contextFor(), 'needs', { scope: 'project' })
    await setEnabledIn(contextFor(), 'disabled', 'guard', { scope: 'project' })
    await put(needs)
    expect((await recoverAndLoad(contextFor())).warnings).toMatchObject([
      { id: 'needs', hint: 'gsd capability enable guard --scope project' },
    ])
    expect((await recoverAndLoad(contextFor({ cwd: dirname(scratch.home) }))).warnings).toEqual([])
  })
})
