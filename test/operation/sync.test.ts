import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { pack } from '../../src/operation/pack.ts'
import { verify } from '../../src/operation/verify.ts'
import { jsonText } from '../../src/state/json-text.ts'
import { readLedger } from '../../src/state/ledger.ts'
import {
  doctorIn,
  fixIn,
  grantIn,
  installIn,
  recoverAndLoad,
  removeIn,
  setEnabledIn,
  syncIn,
  updateIn,
} from '../helpers/operations.ts'
import { refusalOf, useScratch } from '../helpers/scratch.ts'
import { treeOf } from '../helpers/tree.ts'

const scratch = useScratch()
const context = (): Context => scratch.testContext().context
const PROJECT = { scope: 'project', runtimes: ['claude'] } as const
const CLAUDE = { runtimes: ['claude'] } as const

/** Copies the versioned files of the project to a folder next to it, for a user with another home. */
const clone = (): Context => {
  rmSync(scratch.path('clone'), { recursive: true, force: true })
  mkdirSync(scratch.path('clone/.git'), { recursive: true })
  mkdirSync(scratch.path('home of another'), { recursive: true })
  for (const name of ['ledger.json', '.gitignore', 'state.json'])
    if (existsSync(scratch.path('project/.gsd', name)))
      cpSync(scratch.path('project/.gsd', name), scratch.path('clone/.gsd', name))
  return scratch.testContext({ cwd: scratch.path('clone'), env: { HOME: scratch.path('home of another') } }).context
}
const bundlesIn = (folder: string): string[] => treeOf(scratch.path(folder, '.gsd/capabilities'))
const entriesIn = ({ disk, project, global }: Context) => {
  const ledger = readLedger(disk, project ?? global)
  if (ledger.state !== 'ok') throw new Error(ledger.state)
  return ledger.value.capabilities
}
/** File → values that change on every write, even of the same bytes. */
const stamps = (): Record<string, string> => {
  const below = (path: string): [string, string][] => {
    const stats = lstatSync(path)
    if (stats.isDirectory()) return readdirSync(path).flatMap((name) => below(join(path, name)))
    return [[path, [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')]]
  }
  return Object.fromEntries([...below(scratch.home), ...below(scratch.project)])
}
const edit = (path: string, text: string): void => appendFileSync(scratch.path(path), text)
/** What a sync reports as its error, as an error. */
const thrown = ({ refusal }: Awaited<ReturnType<typeof syncIn>>): void => {
  if (refusal !== null) throw refusal
}
const LEDGER = 'project/.gsd/ledger.json'

describe('a fresh clone', () => {
  const installAll = async (): Promise<void> => {
    scratch.bundle('one', { files: { 'docs/a.md': 'a\n', 'tool.sh': '#!/bin/sh\n' } })
    chmodSync(scratch.path('bundles/one/tool.sh'), 0o755)
    const { file } = await pack(context(), {
      dir: scratch.bundle('two'),
      out: scratch.path('two.tgz'),
      writeIntegrity: false,
    })
    await installIn(context(), [scratch.path('bundles/one'), file], PROJECT)
  }

  test('gets the same bytes by sync, from spec and integrity', async () => {
    await installAll()
    const cloned = clone()
    const ledger = scratch.text(LEDGER)
    expect([...entriesIn(cloned)].map(([id, { spec, integrity }]) => [id, spec, integrity?.slice(0, 7)])).toEqual([
      ['one', '../bundles/one', undefined],
      ['two', '../two.tgz', 'sha512-'],
    ])
    const { restored } = await syncIn(cloned)
    expect(restored.map(({ id, digest }) => [id, digest])).toEqual(
      [...entriesIn(cloned)].map(([id, { digest }]) => [id, digest]),
    )
    expect(bundlesIn('clone')).toEqual(bundlesIn('project'))
    expect(treeOf(scratch.path('clone/.gsd/receipts'))).toEqual(treeOf(scratch.path('project/.gsd/receipts')))
    expect(scratch.text('clone/.gsd/ledger.json')).toBe(ledger)
  })

  test('runs nothing before its user consents, and is wired then', async () => {
    await installAll()
    const cloned = clone()
    const { wired, warnings } = await syncIn(cloned)
    expect(wired).toEqual([])
    expect(warnings.filter(({ code }) => code === 'CONSENT_MISSING').map(({ id }) => id)).toEqual(['one', 'two'])
    expect(existsSync(scratch.path('clone/.claude'))).toBe(false)
    const { rows } = await recoverAndLoad(cloned)
    expect(rows.filter(({ scope }) => scope === 'project')).toMatchObject([
      { id: 'one', status: 'inactive', reason: 'never trusted here' },
      { id: 'two', status: 'inactive', reason: 'never trusted here' },
    ])
    await grantIn(cloned, ['one', 'two'])
    expect(scratch.text('clone/.claude/settings.local.json').match(/run\.sh/g)).toHaveLength(2)
    expect(verify(cloned, { ids: [], scope: null }).capabilities.map(({ ok }) => ok)).toEqual([true, true])
  })

  test('is complete with --frozen too, and left unchanged by the next sync', async () => {
    await installAll()
    const cloned = clone()
    expect((await syncIn(cloned, { frozen: true })).restored).toHaveLength(2)
    const before = treeOf(scratch.path('clone'))
    expect(await syncIn(cloned, { frozen: true })).toMatchObject({ restored: [], unchanged: ['one', 'two'] })
    expect(treeOf(scratch.path('clone'))).toEqual(before)
  })

  test.each<[string, string, () => void]>([
    ['is different', 'INTEGRITY_DIGEST_MISMATCH', () => edit('bundles/one/docs/a.md', 'more\n')],
    ['is gone', 'FETCH_NOT_FOUND', () => rmSync(scratch.path('bundles/one'), { recursive: true })],
    ['is no bundle any more', 'ARCHIVE_NO_BUNDLE', () => rmSync(scratch.path('bundles/one/capability.json'))],
  ])('where one source %s gets everything else, and names that one', async (_, code, lose) => {
    for (const frozen of [false, true]) {
      await installAll()
      const cloned = clone()
      const ledger = scratch.text('clone/.gsd/ledger.json')
      lose()
      const { restored, failed, refusal, warnings } = await syncIn(cloned, { frozen })
      expect(restored.map(({ id }) => id)).toEqual(['two'])
      expect(failed).toMatchObject([{ id: 'one', scope: 'project', error: { code } }])
      expect(refusal).toMatchObject({
        code: 'FETCH_INCOMPLETE',
        exitStatus: 5,
        message: expect.stringContaining('"one"'),
      })
      expect(warnings).toContainEqual(expect.objectContaining({ severity: 'error', code, id: 'one' }))
      expect(existsSync(scratch.path('clone/.gsd/capabilities/one'))).toBe(false)
      expect(scratch.text('clone/.gsd/ledger.json')).toBe(ledger)
    }
  })

  test('with a damaged archive gets everything else', async () => {
    await installAll()
    const cloned = clone()
    writeFileSync(scratch.path('two.tgz'), readFileSync(scratch.path('two.tgz')).subarray(0, -1))
    expect(await syncIn(cloned)).toMatchObject({
      restored: [{ id: 'one' }],
      failed: [{ id: 'two', error: { code: 'INTEGRITY_MISMATCH' } }],
    })
  })

  /** The clone has the bundles too, but no receipts, as from version control. */
  const cloneWithBundles = (): Context => {
    const cloned = clone()
    cpSync(scratch.path('project/.gsd/capabilities'), scratch.path('clone/.gsd/capabilities'), { recursive: true })
    return cloned
  }

  test('gets the files that git left out or changed, named one by one, without --force', async () => {
    await installAll()
    const cloned = cloneWithBundles()
    rmSync(scratch.path('clone/.gsd/capabilities/one/docs/a.md'))
    const script = 'clone/.gsd/capabilities/one/tool.sh'
    scratch.put(script, scratch.text(script).replaceAll('\n', '\r\n'), 0o755)
    const { restored, failed } = await syncIn(cloned, { frozen: true })
    expect(failed).toEqual([])
    expect(restored).toMatchObject([{ id: 'one', missing: ['docs/a.md'], lineEndings: ['tool.sh'], keptIn: null }])
    expect(bundlesIn('clone')).toEqual(bundlesIn('project'))
  })

  test('keeps a file that somebody edited, and names it', async () => {
    await installAll()
    const cloned = cloneWithBundles()
    edit('clone/.gsd/capabilities/one/docs/a.md', 'mine\n')
    const { failed, refusal } = await syncIn(cloned)
    expect(failed).toMatchObject([{ id: 'one', error: { code: 'STATE_DRIFT' } }])
    expect(failed[0]?.error.message).toContain('"docs/a.md"')
    expect(refusal).toMatchObject({ code: 'STATE_DRIFT', exitStatus: 4 })
    expect(scratch.text('clone/.gsd/capabilities/one/docs/a.md')).toBe('a\nmine\n')
  })
})

test.each(['global', 'project'] as const)(
  'sync in the %s scope wires the other hosts where one cannot be wired, and says so',
  async (scope) => {
    await installIn(context(), scratch.bundle('one'), { scope, runtimes: ['claude', 'codex'] })
    const settings = scope === 'global' ? scratch.settings : scratch.projectSettings
    rmSync(settings)
    for (const root of ['home', 'project']) scratch.put(`${root}/.codex/hooks.json`, '{"hooks": [')
    const { wired, warnings } = await syncIn(context(), { scope })
    expect(wired).toMatchObject([{ id: 'one', runtime: 'claude' }])
    expect(readFileSync(settings, 'utf8')).toContain('capabilities/one')
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: expect.stringMatching(/^HOST_/),
        message: expect.stringContaining('"one" is not wired into codex'),
      }),
    )
  },
)

describe('--frozen', () => {
  test.each([
    ['a version that is not that of the bundle', { version: '9.9.9' }],
    ['requirements that are not those of the bundle', { requires: ['two'] }],
    ['surfaces that are not those of the bundle', { surfaces: `sha512-${'A'.repeat(86)}==` }],
  ])('refuses a ledger with %s; without it the entry is corrected', async (_, members) => {
    await installIn(context(), scratch.bundle('one'), PROJECT)
    const right = scratch.text(LEDGER)
    const { capabilities } = JSON.parse(right) as { capabilities: { one: object } }
    scratch.put(LEDGER, jsonText({ schema: 1, capabilities: { one: { ...capabilities.one, ...members } } }))
    expect(await scratch.refused(() => syncIn(context(), { frozen: true }))).toMatchObject({
      code: 'STATE_DRIFT',
      exitStatus: 4,
    })
    await syncIn(context())
    expect(scratch.text(LEDGER)).toBe(right)
  })

  test('refuses files that were edited', async () => {
    await installIn(context(), scratch.bundle('one'), PROJECT)
    edit('project/.gsd/capabilities/one/hooks/run.sh', '# mine\n')
    const before = treeOf(scratch.project)
    const { refusal } = await syncIn(context(), { frozen: true, force: true })
    expect(refusal).toMatchObject({ code: 'STATE_DRIFT', exitStatus: 4 })
    expect(treeOf(scratch.project)).toEqual(before)
  })
})

describe('verify', () => {
  const rowOf = (id: string) => verify(context(), { ids: [id], scope: 'global' }).capabilities[0]

  test('reports changed, missing and new files, each by its path', async () => {
    await installIn(context(), scratch.bundle('one', { files: { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' } }), CLAUDE)
    expect(rowOf('one')).toMatchObject({ ok: true, files: { changed: [], missing: [], extra: [] } })
    edit('home/.gsd/capabilities/one/a.md', 'mine')
    rmSync(scratch.path('home/.gsd/capabilities/one/b.md'))
    scratch.put('home/.gsd/capabilities/one/new/d.md', 'd')
    chmodSync(scratch.path('home/.gsd/capabilities/one/c.md'), 0o755)
    expect(rowOf('one')).toMatchObject({
      ok: false,
      files: { changed: ['a.md', 'c.md'], missing: ['b.md'], extra: ['new/d.md'] },
    })
  })

  test('reports changes even without a receipt', async () => {
    await installIn(context(), scratch.bundle('one', { files: { 'a.md': 'a' } }))
    rmSync(scratch.path('home/.gsd/receipts'), { recursive: true })
    rmSync(scratch.path('home/.gsd/grants.json'))
    expect(rowOf('one')?.ok).toBe(true)
    edit('home/.gsd/capabilities/one/a.md', 'mine')
    expect(rowOf('one')?.ok).toBe(false)
  })

  test('reports a link and a folder in place of a bundle', async () => {
    await installIn(context(), [scratch.bundle('one'), scratch.bundle('two')])
    symlinkSync('/etc/passwd', scratch.path('home/.gsd/capabilities/one/link'))
    rmSync(scratch.path('home/.gsd/capabilities/two'), { recursive: true })
    scratch.put('home/.gsd/capabilities/two', 'a file')
    expect([rowOf('one')?.ok, rowOf('two')?.ok]).toEqual([false, false])
  })

  test.each<[string, (text: string) => string | null, string]>([
    ['is gone', () => '{}', 'missing'],
    ['was edited', (text) => text.replace('"timeout": 5', '"timeout": 6'), 'edited'],
    ['is in a file that was deleted', () => null, 'missing'],
    ['is in a file that does not parse', () => '{', 'unreadable'],
  ])('reports an entry of a host that %s', async (_, change, state) => {
    await installIn(context(), scratch.bundle('one'), CLAUDE)
    const text = change(readFileSync(scratch.settings, 'utf8'))
    if (text === null) rmSync(scratch.settings)
    else writeFileSync(scratch.settings, text)
    expect(rowOf('one')).toMatchObject({ ok: false, hosts: [{ runtime: 'claude', file: scratch.settings, state }] })
  })

  test('ignores other entries in the same file', async () => {
    await installIn(context(), scratch.bundle('one'), CLAUDE)
    const text = readFileSync(scratch.settings, 'utf8')
    writeFileSync(scratch.settings, text.replace('{', '{ "model": "x",'))
    expect(rowOf('one')?.ok).toBe(true)
  })

  test('changes nothing', async () => {
    await installIn(context(), scratch.bundle('one'), CLAUDE)
    edit('home/.gsd/capabilities/one/hooks/run.sh', 'mine')
    const before = stamps()
    expect(rowOf('one')?.ok).toBe(false)
    expect(stamps()).toEqual(before)
  })
})

describe('an update of a bundle that was edited', () => {
  const SCRIPT = 'home/.gsd/capabilities/one/hooks/run.sh'
  const MINE = '#!/bin/sh\n# mine\n'
  const editAndOffer = async (): Promise<void> => {
    await installIn(context(), scratch.bundle('one', { files: { 'a.md': 'a' } }), CLAUDE)
    scratch.put(SCRIPT, MINE, 0o711)
    rmSync(scratch.path('home/.gsd/capabilities/one/a.md'))
    scratch.bundle('one', { manifest: { version: '2.0.0' }, files: { 'a.md': 'a' } })
  }

  test.each([
    ['update', () => updateIn(context(), 'one')],
    ['install', () => installIn(context(), scratch.path('bundles/one'))],
    ['sync', async () => thrown(await syncIn(context()))],
  ])('stops, names the file and the next command: %s', async (_, work) => {
    await editAndOffer()
    const error = await scratch.refused(work)
    expect(error).toMatchObject({ code: 'STATE_DRIFT', exitStatus: 4 })
    expect(error.hint).toContain('--force')
    expect(JSON.stringify([error.message, error.details])).toMatch(/hooks\/run\.sh|"one"/)
  })

  test('succeeds with --force, keeps a copy of the edited files, and says where', async () => {
    await editAndOffer()
    const { updated, warnings } = await updateIn(context(), 'one', { force: true })
    const [row] = updated
    expect(row?.keptIn).toMatch(/^\.gsd\/kept\/one-[0-9a-f]{12}$/)
    const kept = scratch.path('home', row?.keptIn ?? '')
    expect(warnings.some(({ message, file }) => message.includes(kept) && file === kept)).toBe(true)
    expect(treeOf(kept)).toEqual(['hooks/ 755', `hooks/run.sh 711 ${JSON.stringify(MINE)}`])
    expect(scratch.text(SCRIPT)).not.toBe(MINE)
    expect(existsSync(scratch.path('home/.gsd/capabilities/one/a.md'))).toBe(true)
    expect(verify(context(), { ids: [], scope: null }).capabilities.map(({ ok }) => ok)).toEqual([true])
  })

  test('keeps one copy of equal files, and all that differ', async () => {
    await editAndOffer()
    const first = await updateIn(context(), 'one', { force: true })
    scratch.put(SCRIPT, MINE, 0o711)
    expect((await syncIn(context(), { force: true })).restored).toMatchObject([{ id: 'one' }])
    scratch.put(SCRIPT, `${MINE}# more\n`, 0o711)
    const third = await syncIn(context(), { force: true })
    expect(third.restored[0]?.keptIn).not.toBe(first.updated[0]?.keptIn)
    expect(readdirSync(scratch.path('home/.gsd/kept'))).toHaveLength(2)
  })

  test('is not replaced, even with --force, when a file in it cannot be preserved', async () => {
    await installIn(context(), scratch.bundle('one'), CLAUDE)
    scratch.put(SCRIPT, MINE, 0o711)
    symlinkSync('/etc/passwd', scratch.path('home/.gsd/capabilities/one/link'))
    const before = treeOf(scratch.path('home'))
    const refusal = {
      code: 'STATE_DRIFT',
      message: expect.stringContaining('something that cannot be preserved') as string,
    }
    expect(await scratch.refused(() => syncIn(context(), { force: true }).then(thrown))).toMatchObject({
      code: 'STATE_DRIFT',
    })
    scratch.bundle('one', { manifest: { version: '2.0.0' } })
    expect(await scratch.refused(() => updateIn(context(), 'one', { force: true }))).toMatchObject(refusal)
    expect(treeOf(scratch.path('home'))).toEqual(before)
  })

  test('counts added files as no edit: they stay, and nothing needs --force', async () => {
    await installIn(context(), scratch.bundle('one'), CLAUDE)
    scratch.put('home/.gsd/capabilities/one/data/log.txt', 'mine', 0o640)
    scratch.bundle('one', { manifest: { version: '2.0.0' } })
    await updateIn(context(), 'one')
    expect(scratch.text('home/.gsd/capabilities/one/data/log.txt')).toBe('mine')
    expect(statSync(scratch.path('home/.gsd/capabilities/one/data/log.txt')).mode & 0o777).toBe(0o640)
  })
})

describe('a command without changes writes nothing', () => {
  test.each<[string, (context: Context) => Promise<unknown>]>([
    ['install of the same', (context) => installIn(context, scratch.path('bundles/one'), CLAUDE)],
    ['install of the same without its host', (context) => installIn(context, scratch.path('bundles/one'))],
    [
      'install of the same in the project',
      (context) => installIn(context, scratch.path('bundles/two'), { scope: 'project' }),
    ],
    ['update of one', (context) => updateIn(context, 'one')],
    ['update of everything', (context) => updateIn(context, [], { scope: 'project' })],
    ['sync', (context) => syncIn(context)],
    ['sync --force', (context) => syncIn(context, { force: true })],
    ['sync --frozen', (context) => syncIn(context, { frozen: true })],
    ['enable of what is enabled', (context) => setEnabledIn(context, 'enabled', 'one')],
    ['disable of what is disabled', (context) => setEnabledIn(context, 'disabled', 'three')],
    ['grant of what was granted', (context) => grantIn(context, 'two')],
    ['doctor', (context) => doctorIn(context)],
    ['doctor --fix', (context) => fixIn(context)],
    ['remove of what is not there', (context) => refusalOf(() => removeIn(context, 'four'))],
    ['remove of it from a host it is not in', (context) => removeIn(context, 'one', { runtime: 'codex' })],
    ['install --dry-run', (context) => installIn(context, scratch.path('bundles/four'), { dryRun: true, ...CLAUDE })],
    ['remove --dry-run', (context) => removeIn(context, 'one', { dryRun: true })],
    ['a list', (context) => recoverAndLoad(context)],
  ])('%s', async (_, work) => {
    scratch.put('home/.claude/settings.json', '// mine\n{ "hooks": {} }')
    for (const id of ['one', 'two', 'three', 'four']) scratch.bundle(id)
    await installIn(context(), [scratch.path('bundles/one'), scratch.path('bundles/three')], CLAUDE)
    await installIn(context(), scratch.path('bundles/two'), PROJECT)
    await setEnabledIn(context(), 'disabled', 'three')
    const [bytes, before] = [treeOf(scratch.root, { without: ['cache'] }), stamps()]
    await work(context())
    expect(treeOf(scratch.root, { without: ['cache'] })).toEqual(bytes)
    expect(stamps()).toEqual(before)
  })
})
