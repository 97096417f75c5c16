import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InstallRequest } from '../../src/operation/plan/install-request.ts'
import { HOOK, refusalOf, useScratch, type Scratch } from '../helpers/scratch.ts'
import { treeOf } from '../helpers/tree.ts'

const scratch = useScratch()

const CLAUDE = { runtimes: ['claude'] } as const
/** Unusual on purpose: everything except our entry must stay unchanged. */
const SETTINGS = `// mine
{
	"model": "opus",
      "permissions": { "allow": [ "Bash(ls:*)" ] },
}`

const withSettings = (text = SETTINGS): void => {
  scratch.put('home/.claude/settings.json', text, 0o600)
  scratch.put('project/.claude/settings.local.json', text)
}

interface Entry {
  readonly hooks: Record<string, { readonly matcher?: string; readonly hooks: { readonly command: string }[] }[]>
}

/** Commands in a settings file, which JSON.parse reads after our comment and comma are removed. */
const commandsIn = (file: string): string[] => {
  const text = readFileSync(file, 'utf8')
    .replace('// mine\n', '')
    .replace(/,(\s*})$/, '$1')
  const { hooks = {} } = JSON.parse(text) as Partial<Entry>
  return Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks.map(({ command }) => command)))
}

const run = (command: string) =>
  spawnSync('sh', ['-c', command], { cwd: '/', input: '{"tool_name":"Bash"}', encoding: 'utf8' })

const SCOPES = [
  ['global', (at: Scratch) => at.settings],
  ['project', (at: Scratch) => at.projectSettings],
] as const

describe.each(SCOPES)('in the %s scope', (scope, settingsOf) => {
  test('install, list, run the hook, remove: nothing is left and nothing is lost', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    const { installed } = await scratch.install(bundle, { scope, ...CLAUDE })
    expect(installed).toMatchObject([
      { id: 'guard', scope, wired: [{ runtime: 'claude', file: settingsOf(scratch) }], notWired: [] },
    ])
    const { rows } = await scratch.list()
    expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ scope, status: 'active', code: null }])
    const [command = '', ...more] = commandsIn(settingsOf(scratch))
    expect(more).toEqual([])
    expect(run(command)).toMatchObject({ status: 0, stdout: 'hook of a test ran\n', stderr: '' })
    expect(await scratch.remove('guard', { scope })).toMatchObject({ removed: [{ id: 'guard', scope }], kept: [] })
    scratch.expectTree(before)
  })

  test('missing settings are created, and removed afterwards with their folder', async () => {
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    await scratch.install(bundle, { scope, ...CLAUDE })
    expect(commandsIn(settingsOf(scratch))).toHaveLength(1)
    await scratch.remove('guard', { scope })
    scratch.expectTree(before)
  })

  test('two capabilities can be removed in either order', async () => {
    withSettings()
    const bundles = [scratch.bundle('one'), scratch.bundle('two'), scratch.bundle('three')]
    const before = scratch.tree()
    for (const order of [
      ['one', 'two', 'three'],
      ['three', 'two', 'one'],
      ['two', 'three', 'one'],
    ]) {
      for (const bundle of bundles) await scratch.install(bundle, { scope, ...CLAUDE })
      expect(commandsIn(settingsOf(scratch))).toHaveLength(3)
      for (const id of order) await scratch.remove(id, { scope })
      scratch.expectTree(before)
    }
  })

  test('several in one command are installed and removed together', async () => {
    withSettings()
    const bundles = ['one', 'two', 'three'].map((id) => scratch.bundle(id))
    const before = scratch.tree()
    const { installed } = await scratch.install(bundles, { scope, ...CLAUDE })
    expect(installed.map(({ id }) => id)).toEqual(['one', 'two', 'three'])
    const { removed } = await scratch.remove(['three', 'one', 'two'], { scope })
    expect(removed.map(({ id }) => id)).toEqual(['three', 'one', 'two'])
    scratch.expectTree(before)
  })

  test('of several in one command none is installed when one fails', async () => {
    withSettings()
    const good = scratch.bundle('good')
    const bad = scratch.bundle('bad', { manifest: { version: 'new' } })
    const error = await scratch.refused(() => scratch.install([good, bad], { scope, ...CLAUDE }))
    expect(error.code).toBe('MANIFEST_INVALID')
  })

  test('a second, identical install does nothing and leaves every file unchanged, byte for byte', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope, ...CLAUDE })
    const before = scratch.tree()
    for (const request of [CLAUDE, {}])
      expect(await scratch.install(bundle, { scope, ...request })).toMatchObject({
        installed: [],
        unchanged: ['guard'],
      })
    scratch.expectTree(before)
  })

  test('after a removal it can be installed again, with the same result', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    const now = { desk: { yes: true, ask: null, disclose: () => undefined } }
    await scratch.install(bundle, { scope, ...CLAUDE, ...now })
    const first = scratch.tree().map(withoutTimes)
    await scratch.remove('guard', { scope })
    await scratch.install(bundle, { scope, ...CLAUDE, ...now })
    expect(scratch.tree().map(withoutTimes)).toEqual(first)
  })

  test('removing it twice is an error of state, and changes nothing', async () => {
    await scratch.install(scratch.bundle('guard'), { scope })
    await scratch.remove('guard', { scope })
    const error = await scratch.refused(() => scratch.remove('guard', { scope }))
    expect(error).toMatchObject({ code: 'STATE_NOT_INSTALLED', exitStatus: 4 })
    expect(error.message).toContain('"guard"')
  })

  test('a mistyped id is answered with the nearest installed one', async () => {
    await scratch.install(scratch.bundle('guard'), { scope })
    const error = await scratch.refused(() => scratch.remove('gaurd', { scope }))
    expect(error).toMatchObject({ code: 'STATE_NOT_INSTALLED', hint: expect.stringContaining('guard') })
  })

  test('a host that is named later is added, and the earlier ones stay', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope })
    expect(scratch.text(`${scope === 'global' ? 'home' : 'project'}/.gsd/ledger.json`)).toContain('"runtimes": []')
    const claude = await scratch.install(bundle, { scope, ...CLAUDE })
    expect(claude).toMatchObject({ installed: [{ wired: [{ runtime: 'claude' }] }] })
    const codex = await scratch.install(bundle, { scope, runtimes: ['codex'] })
    expect(codex.installed[0]?.wired.map(({ runtime }) => runtime).toSorted()).toEqual(['claude', 'codex'])
    expect(commandsIn(settingsOf(scratch))).toHaveLength(1)
    const { rows } = await scratch.list()
    expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ status: 'active' }])
  })

  test('it is removed from one host, and stays installed and in the other', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope, runtimes: ['claude', 'codex'] })
    const answer = await scratch.remove('guard', { scope, runtime: 'claude' })
    expect(answer).toMatchObject({ removed: [], unwired: [{ id: 'guard', file: settingsOf(scratch) }] })
    expect(readFileSync(settingsOf(scratch), 'utf8')).toBe(SETTINGS)
    expect(scratch.text(`${scope === 'global' ? 'home' : 'project'}/.codex/hooks.json`)).toContain('run.sh')
    const again = await scratch.install(bundle, { scope })
    expect(again).toMatchObject({ installed: [], unchanged: ['guard'] })
  })

  test('a changed folder is an update: the bundle and its entry are replaced in place', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    await scratch.install(bundle, { scope, ...CLAUDE })
    scratch.bundle('guard', { manifest: { version: '1.1.0' }, files: { 'hooks/run.sh': `${HOOK}echo more\n` } })
    const { installed } = await scratch.install(bundle, { scope })
    expect(installed).toMatchObject([{ id: 'guard', version: '1.1.0', wired: [{ runtime: 'claude' }] }])
    const [command = ''] = commandsIn(settingsOf(scratch))
    expect(run(command).stdout).toBe('hook of a test ran\nmore\n')
    scratch.bundle('guard')
    await scratch.remove('guard', { scope })
    scratch.expectTree(before)
  })

  test('an update without any hook leaves no entry behind', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope, ...CLAUDE })
    scratch.bundle('guard', { manifest: { version: '2.0.0', hooks: [] } })
    await scratch.install(bundle, { scope })
    expect(readFileSync(settingsOf(scratch), 'utf8')).toBe(SETTINGS)
  })

  test('an update that hooks into another event moves the entry there', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope, ...CLAUDE })
    scratch.bundle('guard', { manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] } })
    await scratch.install(bundle, { scope })
    const text = readFileSync(settingsOf(scratch), 'utf8')
    expect(text).toContain('"Stop"')
    expect(text).not.toContain('PreToolUse')
    expect(commandsIn(settingsOf(scratch))).toHaveLength(1)
    await scratch.remove('guard', { scope })
    expect(readFileSync(settingsOf(scratch), 'utf8')).toBe(SETTINGS)
  })

  test('a dry run of install and remove writes nothing, and reports the plan', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    const untouched = scratch.tree()
    const planned = await scratch.install(bundle, { scope, ...CLAUDE, dryRun: true, consentPrompt: NOBODY })
    scratch.expectTree(untouched)
    expect(planned.plan?.disclosures).toMatchObject([{ id: 'guard', surfaces: [{ kind: 'hook' }] }])
    expect(planned.plan?.changes.map(({ kind }) => kind)).toEqual([
      'record',
      'swap',
      'swap',
      'host',
      'record',
      'record',
    ])
    const { plan: _plan, ...outcome } = planned
    expect(await scratch.install(bundle, { scope, ...CLAUDE })).toEqual(outcome)

    const installed = scratch.tree()
    const removal = await scratch.remove('guard', { scope, dryRun: true })
    scratch.expectTree(installed)
    expect(removal.removed).toMatchObject([{ id: 'guard' }])
    expect(removal.plan?.changes).not.toEqual([])
    expect(await scratch.install(bundle, { scope, dryRun: true })).toMatchObject({
      unchanged: ['guard'],
      plan: { changes: [], disclosures: [] },
    })
  })
})

const open = (file: string): string => {
  writeFileSync(file, '')
  return file
}

const NOBODY: InstallRequest['consentPrompt'] = { assumeYes: false, confirm: null, disclose: () => undefined }

/** The time of consent is not part of the result of an install. */
const withoutTimes = (line: string): string => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')

describe('consent', () => {
  const scopes = ['global', 'project'] as const
  test.each(scopes)('is required for a changed script, and not for changed prose (%s)', async (scope) => {
    const files = { 'skills/x.md': 'one\n', 'notes.json': 'one\n' }
    const bundle = scratch.bundle('guard', { files })
    await scratch.install(bundle, { scope, ...CLAUDE })
    scratch.bundle('guard', { files: { ...files, 'skills/x.md': 'two\n' } })
    expect(await scratch.install(bundle, { scope, consentPrompt: NOBODY })).toMatchObject({
      installed: [{ id: 'guard' }],
    })
    const { rows } = await scratch.list()
    expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ status: 'active' }])
    for (const [path, content] of [
      ['hooks/run.sh', `${HOOK}\n`],
      ['notes.json', 'two\n'],
      ['hooks/lib.sh', 'x'],
    ] as const) {
      scratch.bundle('guard', { files: { ...files, 'skills/x.md': 'two\n', [path]: content } })
      const error = await scratch.refused(() => scratch.install(bundle, { scope, consentPrompt: NOBODY }))
      expect(error).toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
      expect(error.details).toMatchObject({ disclosure: [{ id: 'guard', surfaces: [{ kind: 'hook' }] }] })
    }
  })

  test.each(scopes)('is required for a changed matcher, timeout or event (%s)', async (scope) => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope, ...CLAUDE })
    for (const hook of [{ matcher: 'Read' }, { timeout: 6 }, { event: 'PostToolUse' }]) {
      const hooks = [{ event: 'PreToolUse', matcher: 'Bash', script: 'hooks/run.sh', timeout: 5, ...hook }]
      scratch.bundle('guard', { manifest: { hooks } })
      const error = await scratch.refused(() => scratch.install(bundle, { scope, consentPrompt: NOBODY }))
      expect(error.code).toBe('CONSENT_REQUIRED')
    }
  })

  test('is requested after everything is disclosed, and a no changes nothing', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    const seen: string[] = []
    const asking: InstallRequest['consentPrompt'] = {
      assumeYes: false,
      disclose: (disclosures) => void seen.push(...disclosures.map(({ id }) => `shown ${id}`)),
      confirm: () => {
        seen.push('asked')
        return Promise.resolve(false)
      },
    }
    const error = await scratch.refused(() => scratch.install(bundle, { ...CLAUDE, consentPrompt: asking }))
    expect(error).toMatchObject({ code: 'CONSENT_DECLINED', exitStatus: 3 })
    expect(seen).toEqual(['shown guard', 'asked'])
  })

  test('for one project is not consent for another with the same content', async () => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, { scope: 'project' })
    mkdirSync(scratch.path('other/.git'), { recursive: true })
    const error = await scratch.refused(() =>
      scratch.install(bundle, { scope: 'project', consentPrompt: NOBODY }, { cwd: scratch.path('other') }),
    )
    expect(error.code).toBe('CONSENT_REQUIRED')
  })
})

describe('another source for an installed id', () => {
  test('is refused without --replace, and accepted with it', async () => {
    await scratch.install(scratch.bundle('guard'), CLAUDE)
    const other = scratch.bundle('guard', { to: 'elsewhere/guard', manifest: { version: '3.0.0' } })
    const error = await scratch.refused(() => scratch.install(other))
    expect(error).toMatchObject({
      code: 'STATE_OTHER_SOURCE',
      exitStatus: 4,
      hint: expect.stringContaining('--replace'),
    })
    expect(await scratch.install(other, { replace: true })).toMatchObject({ installed: [{ version: '3.0.0' }] })
    expect(scratch.text('home/.gsd/ledger.json')).toContain('"../elsewhere/guard"')
  })

  test('with the same content changes nothing, and with --replace becomes the recorded source', async () => {
    await scratch.install(scratch.bundle('guard'), CLAUDE)
    const other = scratch.bundle('guard', { to: 'elsewhere/guard' })
    const before = scratch.tree()
    expect(await scratch.install(other)).toMatchObject({ unchanged: ['guard'] })
    scratch.expectTree(before)
    expect(await scratch.install(other, { replace: true })).toMatchObject({ installed: [{ id: 'guard' }] })
    expect(scratch.text('home/.gsd/ledger.json')).toContain('"../elsewhere/guard"')
  })
})

describe('--settings', () => {
  test('names a file that is wired as well, and stays so over updates until the removal', async () => {
    const bundle = scratch.bundle('guard')
    const own = scratch.put('own/settings.json', '{ "a": 1 }\n')
    withSettings()
    const before = scratch.tree()
    const { installed } = await scratch.install(bundle, { ...CLAUDE, settings: own })
    expect(installed[0]?.wired.map(({ file }) => file).toSorted()).toEqual([scratch.settings, own].toSorted())
    scratch.bundle('guard', { manifest: { hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] } })
    await scratch.install(bundle)
    for (const file of [own, scratch.settings]) expect(readFileSync(file, 'utf8')).toContain('"Stop"')
    scratch.bundle('guard')
    await scratch.remove('guard')
    scratch.expectTree(before)
  })

  test('may be relative to the working directory, or start with ~', async () => {
    const bundle = scratch.bundle('guard')
    scratch.put('project/mine.json', '{}')
    scratch.put('home/mine.json', '{}')
    await scratch.install(bundle, { ...CLAUDE, settings: 'mine.json' })
    expect(scratch.text('project/mine.json')).toContain('run.sh')
    await scratch.install(bundle, { ...CLAUDE, settings: '~/mine.json' })
    expect(scratch.text('home/mine.json')).toContain('run.sh')
  })

  test.each([
    ['two specs', { settings: 'x.json', runtimes: ['claude'] }, 2],
    ['no runtime', { settings: 'x.json' }, 1],
    ['two runtimes', { settings: 'x.json', runtimes: ['claude', 'codex'] }, 1],
    ['two specs and an integrity', { integrity: 'sha512-x' }, 2],
  ] as const)('and --integrity accept exactly one capability: %s', async (_what, request, specs) => {
    const bundles = ['one', 'two'].slice(0, specs).map((id) => scratch.bundle(id))
    const error = await scratch.refused(() => scratch.install(bundles, request))
    expect(error).toMatchObject({ code: 'USAGE_CONFLICT', exitStatus: 2 })
  })
})

describe('hosts', () => {
  test('an unknown one is refused with the nearest, before anything is written', async () => {
    const bundle = scratch.bundle('guard')
    for (const work of [
      () => scratch.install(bundle, { runtimes: ['cluade'] }),
      () => scratch.install(bundle, { runtimes: ['claude', 'cluade'] }),
    ])
      expect(await scratch.refused(work)).toMatchObject({
        code: 'HOST_UNKNOWN_RUNTIME',
        exitStatus: 2,
        hint: expect.stringContaining('claude'),
      })
    await scratch.install(bundle, CLAUDE)
    expect(await scratch.refused(() => scratch.remove('guard', { runtime: 'cluade' }))).toMatchObject({
      code: 'HOST_UNKNOWN_RUNTIME',
    })
  })

  test('an event that a named host lacks costs only its hook; with --strict nothing is installed', async () => {
    const hooks = ['Stopp', 'Stop'].map((event) => ({ event, script: 'hooks/run.sh' }))
    const bundle = scratch.bundle('guard', { manifest: { hooks } })
    const error = await scratch.refused(() => scratch.install(bundle, { ...CLAUDE, strict: true }))
    expect(error).toMatchObject({ code: 'HOST_UNKNOWN_EVENT', hint: expect.stringContaining('--strict') })
    const { installed } = await scratch.install(bundle, CLAUDE)
    expect(installed).toMatchObject([
      {
        wired: [{ runtime: 'claude' }],
        notWired: [{ runtime: 'claude', reason: expect.stringContaining('the nearest is "Stop"') }],
      },
    ])
    expect(JSON.parse(scratch.text('home/.claude/settings.json')).hooks).toEqual({ Stop: expect.anything() })
    expect(await scratch.install(bundle, CLAUDE)).toMatchObject({ unchanged: ['guard'] })
  })

  test('a host that the manifest does not support is refused', async () => {
    const bundle = scratch.bundle('guard', {
      manifest: { runtimeCompat: { supported: ['*'], unsupported: ['claude'] } },
    })
    expect(await scratch.refused(() => scratch.install(bundle, CLAUDE))).toMatchObject({ code: 'HOST_UNSUPPORTED' })
  })

  test('without one, nothing is wired and this is reported', async () => {
    withSettings()
    const { installed, warnings } = await scratch.install(scratch.bundle('guard'))
    expect(installed).toMatchObject([{ wired: [] }])
    expect(warnings).toMatchObject([{ code: 'HOST_NOT_WIRED', hint: expect.stringContaining('--runtime') }])
    expect(readFileSync(scratch.settings, 'utf8')).toBe(SETTINGS)
  })

  test('a script without #! and without a known extension is refused at install, wired or not', async () => {
    const hooks = [{ event: 'Stop', script: 'hooks/thing' }]
    const bundle = scratch.bundle('guard', { manifest: { hooks }, files: { 'hooks/thing': 'no program\n' } })
    for (const request of [CLAUDE, {}])
      expect(await scratch.refused(() => scratch.install(bundle, request))).toMatchObject({ code: 'HOST_SCRIPT' })
  })
})

describe('a capability that another one requires', () => {
  test('is not removed first, but with it or with --force', async () => {
    const base = scratch.bundle('base')
    const top = scratch.bundle('top', { manifest: { requires: ['base'] } })
    const empty = scratch.tree()
    await scratch.install([top, base])
    const error = await scratch.refused(() => scratch.remove('base'))
    expect(error).toMatchObject({ code: 'REGISTRY_REQUIRED_BY', exitStatus: 3 })
    expect(error.message).toContain('top')
    await scratch.remove(['base', 'top'])
    scratch.expectTree(empty)
    await scratch.install([base, top])
    await scratch.remove('base', { force: true })
    const { rows } = await scratch.list()
    expect(rows.filter(({ id }) => id === 'top')).toMatchObject([{ status: 'blocked' }])
  })

  test('is missing at install: the install is refused, naming it', async () => {
    const top = scratch.bundle('top', { manifest: { requires: ['base'] } })
    const error = await scratch.refused(() => scratch.install(top))
    expect(error).toMatchObject({ code: 'REGISTRY_REQUIRES_MISSING', exitStatus: 3 })
    expect(error.message).toContain('base')
  })

  test('in the home is not removed while a project here requires it', async () => {
    await scratch.install(scratch.bundle('base'))
    await scratch.install(scratch.bundle('top', { manifest: { requires: ['base'] } }), { scope: 'project' })
    expect((await scratch.refused(() => scratch.remove('base'))).code).toBe('REGISTRY_REQUIRED_BY')
  })
})

describe('changes that the user made in the folder of a bundle', () => {
  test('new files survive the removal, unless they are purged', async () => {
    const bundle = scratch.bundle('guard')
    const empty = scratch.tree()
    await scratch.install(bundle, CLAUDE)
    const data = scratch.put('home/.gsd/capabilities/guard/data/log.txt', 'mine', 0o666)
    expect((await scratch.remove('guard')).kept).toEqual([data])
    expect(treeOf(scratch.path('home/.gsd/capabilities'))).toEqual([
      'guard/ 755',
      'guard/data/ 755',
      'guard/data/log.txt 666 "mine"',
    ])
    await scratch.install(bundle, CLAUDE)
    expect(readFileSync(data, 'utf8')).toBe('mine')
    expect((await scratch.remove('guard', { purgeData: true })).kept).toEqual([])
    scratch.expectTree(empty)
  })

  test('new files survive an update', async () => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle)
    const data = scratch.put('home/.gsd/capabilities/guard/data/log.txt', 'mine', 0o600)
    scratch.bundle('guard', { manifest: { version: '2.0.0' } })
    await scratch.install(bundle)
    expect(readFileSync(data, 'utf8')).toBe('mine')
  })

  test('an edit stops an update until --force, which keeps a copy and says where', async () => {
    const bundle = scratch.bundle('guard', { files: { 'notes.md': 'theirs\n' } })
    await scratch.install(bundle)
    const file = scratch.put('home/.gsd/capabilities/guard/notes.md', 'mine\n')
    scratch.bundle('guard', { manifest: { version: '2.0.0' }, files: { 'notes.md': 'theirs\n' } })
    const error = await scratch.refused(() => scratch.install(bundle))
    expect(error).toMatchObject({ code: 'STATE_DRIFT', exitStatus: 4, hint: expect.stringContaining('--force') })
    const { warnings } = await scratch.install(bundle, { force: true })
    expect(readFileSync(file, 'utf8')).toBe('theirs\n')
    const kept = scratch.tree().filter((line) => line.includes('"mine\\n"'))
    expect(kept).toHaveLength(1)
    const [path = ''] = kept[0]?.split(' ') ?? []
    expect(warnings.map(({ message }) => message).join()).toContain(path.split('/').at(-2))
  })

  test('new files do not make a second install an update', async () => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle)
    scratch.put('home/.gsd/capabilities/guard/data/log.txt', 'mine', 0o600)
    const before = scratch.tree()
    expect(await scratch.install(bundle)).toMatchObject({ installed: [], unchanged: ['guard'] })
    scratch.expectTree(before)
  })

  test.each([
    ['a link', (dir: string) => symlinkSync('/etc/hostname', join(dir, 'mine'))],
    ['a file larger than a bundle may hold', (dir: string) => truncateSync(open(join(dir, 'mine')), 65 * 1024 * 1024)],
  ])('%s there stops removal and update, which cannot preserve it, until it is purged', async (_what, make) => {
    const bundle = scratch.bundle('guard')
    const empty = scratch.tree()
    await scratch.install(bundle)
    make(scratch.path('home/.gsd/capabilities/guard'))
    scratch.bundle('guard', { manifest: { version: '2.0.0' } })
    for (const work of [
      () => scratch.remove('guard'),
      () => scratch.install(bundle),
      () => scratch.install(bundle, { force: true }),
    ]) {
      const error = await refusalOf(work)
      expect(error).toMatchObject({ code: 'STATE_DRIFT', hint: expect.stringContaining('--purge-data') })
      expect(error.message).toContain('mine')
    }
    scratch.bundle('guard')
    await scratch.remove('guard', { purgeData: true })
    scratch.expectTree(empty)
  })

  test('an edited file is kept by a removal', async () => {
    await scratch.install(scratch.bundle('guard', { files: { 'notes.md': 'theirs\n' } }))
    const file = scratch.put('home/.gsd/capabilities/guard/notes.md', 'mine\n')
    expect((await scratch.remove('guard')).kept).toEqual([file])
    expect(readFileSync(file, 'utf8')).toBe('mine\n')
    expect(existsSync(join(scratch.home, '.gsd/capabilities/guard/capability.json'))).toBe(false)
  })
})

describe('changes that the user made in the settings', () => {
  test('survive the removal', async () => {
    withSettings()
    await scratch.install(scratch.bundle('guard'), CLAUDE)
    const wired = readFileSync(scratch.settings, 'utf8')
    writeFileSync(scratch.settings, wired.replace('"opus"', '"sonnet"'))
    await scratch.remove('guard')
    expect(readFileSync(scratch.settings, 'utf8')).toBe(SETTINGS.replace('"opus"', '"sonnet"'))
  })

  test('an edited entry is removed alone, and reported', async () => {
    withSettings()
    await scratch.install(scratch.bundle('guard'), CLAUDE)
    const wired = readFileSync(scratch.settings, 'utf8')
    writeFileSync(scratch.settings, wired.replace('"Bash"', '"Bash|Read"'))
    const { warnings } = await scratch.remove('guard')
    expect(warnings).toMatchObject([{ code: 'HOST_ENTRY_EDITED' }])
    expect(readFileSync(scratch.settings, 'utf8')).not.toContain('run.sh')
  })

  test('an entry that was deleted by hand blocks neither a removal nor a new install', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle, CLAUDE)
    writeFileSync(scratch.settings, SETTINGS)
    expect(await scratch.install(bundle, CLAUDE)).toMatchObject({ installed: [{ id: 'guard' }] })
    expect(commandsIn(scratch.settings)).toHaveLength(1)
    writeFileSync(scratch.settings, SETTINGS)
    await scratch.remove('guard')
    expect(readFileSync(scratch.settings, 'utf8')).toBe(SETTINGS)
  })
})

describe('paths that contain links', () => {
  test('a home and a project reached by links are the same home and project', async () => {
    withSettings()
    const bundle = scratch.bundle('guard')
    symlinkSync('home', scratch.path('link-home'))
    symlinkSync('project', scratch.path('link-project'))
    const before = scratch.tree()
    const byLinks = { cwd: scratch.path('link-project'), env: { HOME: scratch.path('link-home') } }
    for (const scope of ['global', 'project'] as const) {
      await scratch.install(bundle, { scope, ...CLAUDE }, byLinks)
      expect((await scratch.list()).rows.filter(({ id }) => id === 'guard')).toMatchObject([
        { scope, status: 'active' },
      ])
      const [, settingsOf] = SCOPES.find(([name]) => name === scope) ?? SCOPES[0]
      const [command = ''] = commandsIn(settingsOf(scratch))
      expect(command).not.toContain('link-')
      expect(await scratch.install(bundle, { scope, ...CLAUDE })).toMatchObject({ unchanged: ['guard'] })
      await scratch.remove('guard', { scope })
      scratch.expectTree(before)
    }
  })

  test('in a home .gsd may be a link to a folder of dotfiles', async () => {
    withSettings()
    mkdirSync(scratch.path('dotfiles/gsd'), { recursive: true })
    symlinkSync('../dotfiles/gsd', scratch.path('home/.gsd'))
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    await scratch.install(bundle, CLAUDE)
    const [command = ''] = commandsIn(scratch.settings)
    expect(run(command).stdout).toBe('hook of a test ran\n')
    await scratch.remove('guard')
    scratch.expectTree(before)
  })

  test('a source that is a link to a folder or an archive counts as its target', async () => {
    const bundle = scratch.bundle('guard')
    symlinkSync(bundle, scratch.path('link'))
    await scratch.install(scratch.path('link'))
    scratch.bundle('guard', { manifest: { version: '2.0.0' } })
    expect(await scratch.install(scratch.path('link'))).toMatchObject({ installed: [{ version: '2.0.0' }] })
  })
})

describe('the umask and the modes of the source', () => {
  test('do not affect the installed modes: folders 755, scripts 755, all else 644', async () => {
    const before = process.umask(0o077)
    try {
      const bundle = scratch.bundle('guard', { files: { 'docs/a.md': 'a', 'tool.bin': 'b' } })
      for (const [file, mode] of [
        ['docs/a.md', 0o600],
        ['tool.bin', 0o711],
        ['hooks/run.sh', 0o600],
      ] as const)
        chmodSync(join(bundle, file), mode)
      await scratch.install(bundle)
    } finally {
      process.umask(before)
    }
    expect(treeOf(scratch.path('home/.gsd/capabilities')).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(
      [
        'guard/ 755',
        'guard/capability.json 644',
        'guard/docs/ 755',
        'guard/docs/a.md 644',
        'guard/hooks/ 755',
        'guard/hooks/run.sh 755',
        'guard/tool.bin 755',
      ],
    )
  })
})
