import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asNobody } from '../helpers/as-nobody.ts'
import { contribution, feature, flag } from '../registry/manifests.ts'
import {
  grantConsent,
  writeLedger,
  load,
  type Machine,
  createMachine,
  writeBundle,
  loadUncached,
  statuses,
  writeFileIn,
} from './test-machine.ts'

const withFragment = (id: string, path: string) =>
  feature(id, { contributions: [{ ...contribution('plan:pre', 'planner', ''), fragment: { path } }] })

/** A machine with a valid overlay in the home, so that every test also checks that the others still load. */
const machineWithValidBundle = (): Machine => {
  const on = createMachine()
  writeBundle(on.home, feature('good'))
  writeLedger(on.home, ['good'])
  return on
}

const bundleFolder = (on: Machine, id: string): string => {
  const dir = join(on.home, '.gsd/capabilities', id)
  mkdirSync(dir, { recursive: true })
  return dir
}

describe('an overlay that cannot be used is skipped with a code of its own, and the others load', () => {
  const cases: readonly [string, string, string, (on: Machine) => void][] = [
    ['no manifest', 'invalid', 'OVERLAY_NO_MANIFEST', (on) => void bundleFolder(on, 'bad')],
    [
      'a folder in place of the manifest',
      'invalid',
      'OVERLAY_NOT_A_FILE',
      (on) => void mkdirSync(join(bundleFolder(on, 'bad'), 'capability.json')),
    ],
    [
      'a FIFO in place of the manifest',
      'invalid',
      'OVERLAY_NOT_A_FILE',
      (on) => void execFileSync('mkfifo', [join(bundleFolder(on, 'bad'), 'capability.json')]),
    ],
    [
      'a link to a device in place of the manifest',
      'invalid',
      'OVERLAY_NOT_A_FILE',
      (on) => symlinkSync('/dev/zero', join(bundleFolder(on, 'bad'), 'capability.json')),
    ],
    [
      'a manifest that is a link out of the bundle',
      'invalid',
      'OVERLAY_NOT_A_FILE',
      (on) => {
        writeFileIn(join(on.base, 'elsewhere.json'), JSON.stringify(feature('bad')))
        symlinkSync(join(on.base, 'elsewhere.json'), join(bundleFolder(on, 'bad'), 'capability.json'))
      },
    ],
    [
      'an empty manifest',
      'invalid',
      'OVERLAY_SYNTAX',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), ''),
    ],
    [
      'a manifest with a trailing comma',
      'invalid',
      'OVERLAY_SYNTAX',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), '{"id":"bad",}'),
    ],
    [
      'a manifest that is not UTF-8',
      'invalid',
      'OVERLAY_SYNTAX',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), Buffer.from([0x7b, 0xff, 0x7d])),
    ],
    [
      'a manifest of 50 MB',
      'invalid',
      'OVERLAY_INVALID',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), Buffer.alloc(50_000_000, 0x20)),
    ],
    [
      'an array for a manifest',
      'invalid',
      'OVERLAY_INVALID',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), '[]'),
    ],
    [
      'null for a manifest',
      'invalid',
      'OVERLAY_INVALID',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), 'null'),
    ],
    [
      'a default of the wrong type',
      'invalid',
      'OVERLAY_INVALID',
      (on) =>
        void writeBundle(
          on.home,
          feature('bad', { config: { 'x.y': { ...flag(), default: 'yes' as unknown as boolean } } }),
        ),
    ],
    [
      'an id that is not the name of the folder',
      'invalid',
      'OVERLAY_ID_MISMATCH',
      (on) => writeFileIn(join(bundleFolder(on, 'bad'), 'capability.json'), JSON.stringify(feature('other'))),
    ],
    [
      'an unknown role',
      'incompatible',
      'OVERLAY_UNKNOWN_ROLE',
      (on) => void writeBundle(on.home, { ...feature('bad'), role: 'planet' as 'feature' }),
    ],
    [
      'engines that this GSD does not satisfy',
      'incompatible',
      'OVERLAY_INCOMPATIBLE',
      (on) => void writeBundle(on.home, feature('bad', { engines: { gsd: '>=2' } })),
    ],
    [
      'a requirement that is nowhere',
      'blocked',
      'REGISTRY_REQUIRES_MISSING',
      (on) => void writeBundle(on.home, feature('bad', { requires: ['nowhere'] })),
    ],
    [
      'the id of a first-party capability',
      'collision',
      'REGISTRY_ID_COLLISION',
      (on) => {
        writeFileIn(join(on.firstParty, 'bad/capability.json'), JSON.stringify(feature('bad')))
        writeBundle(on.home, feature('bad'))
      },
    ],
    [
      'a fragment that is not there',
      'invalid',
      'OVERLAY_FRAGMENT',
      (on) => void writeBundle(on.home, withFragment('bad', 'f/x.md')),
    ],
    [
      'a fragment that is a FIFO',
      'invalid',
      'OVERLAY_FRAGMENT',
      (on) => void execFileSync('mkfifo', [join(writeBundle(on.home, withFragment('bad', 'x.md')), 'x.md')]),
    ],
    [
      'a fragment that is not UTF-8',
      'invalid',
      'OVERLAY_FRAGMENT',
      (on) => writeFileIn(join(writeBundle(on.home, withFragment('bad', 'x.md')), 'x.md'), Buffer.from([0xc3, 0x28])),
    ],
    [
      'a fragment over 256 KiB',
      'invalid',
      'OVERLAY_FRAGMENT',
      (on) => void writeBundle(on.home, withFragment('bad', 'x.md'), { 'x.md': 'x'.repeat(256 * 1024 + 1) }),
    ],
    [
      'a fragment that is a link out of the bundle',
      'invalid',
      'OVERLAY_FRAGMENT',
      (on) => {
        writeFileIn(join(on.base, 'secret'), 'secret')
        symlinkSync(join(on.base, 'secret'), join(writeBundle(on.home, withFragment('bad', 'x.md')), 'x.md'))
      },
    ],
    [
      'a fragment below a folder that is a link out of the bundle',
      'invalid',
      'OVERLAY_FRAGMENT',
      (on) => {
        writeFileIn(join(on.base, 'elsewhere/x.md'), 'secret')
        symlinkSync(join(on.base, 'elsewhere'), join(writeBundle(on.home, withFragment('bad', 'f/x.md')), 'f'))
      },
    ],
  ]

  test.each(cases)('%s: %s %s', async (_what, status, code, arrange) => {
    const on = machineWithValidBundle()
    arrange(on)
    const loaded = await load(on)
    expect(statuses(loaded)['good/global']).toBe('active')
    expect(statuses(loaded)['bad/global']).toBe(`${status} ${code}`)
    expect([...loaded.registry.capabilities.keys()].filter((id) => id !== 'bad')).toEqual(['good'])
    const found = loaded.warnings.filter((it) => it.id === 'bad' && it.code === code)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      severity: 'warning',
      scope: 'global',
      file: expect.any(String),
      hint: expect.stringMatching(/./),
    })
    expect(JSON.stringify(loaded.warnings)).not.toContain('secret"')
  })

  test('a reserved id is skipped', async () => {
    const on = machineWithValidBundle()
    writeBundle(on.home, feature('gsd-tools'))
    const loaded = await load(on)
    expect(statuses(loaded)['gsd-tools/global']).toBe('invalid OVERLAY_RESERVED_ID')
  })

  test('a file or folder without read permission is unreadable', async () => {
    const on = machineWithValidBundle()
    chmodSync(join(writeBundle(on.home, feature('bad')), 'capability.json'), 0o000)
    chmodSync(writeBundle(on.home, feature('shut')), 0o000)
    const loaded = asNobody(() => loadUncached(on))
    expect(statuses(loaded)).toMatchObject({
      'bad/global': 'invalid OVERLAY_UNREADABLE',
      'shut/global': 'invalid OVERLAY_UNREADABLE',
    })
  })

  test('a capabilities folder without read permission is one warning', async () => {
    const on = machineWithValidBundle()
    chmodSync(join(on.home, '.gsd/capabilities'), 0o000)
    const loaded = asNobody(() => loadUncached(on))
    expect(loaded.warnings.filter((it) => it.code === 'OVERLAY_UNREADABLE')).toHaveLength(1)
  })

  test('files and hidden entries next to the bundles are ignored', async () => {
    const on = machineWithValidBundle()
    writeFileIn(join(on.home, '.gsd/capabilities/README.md'), 'x')
    writeFileIn(join(on.home, '.gsd/capabilities/.DS_Store'), 'x')
    mkdirSync(join(on.home, '.gsd/capabilities/.git'))
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'good/global': 'active' })
    expect(loaded.warnings).toEqual([])
  })

  test('a folder whose name differs from an id only in case does not have that id', async () => {
    const on = machineWithValidBundle()
    writeFileIn(join(on.home, '.gsd/capabilities/Good/capability.json'), JSON.stringify(feature('good')))
    expect(statuses(await load(on))).toEqual({ 'Good/global': 'invalid OVERLAY_ID_MISMATCH', 'good/global': 'active' })
  })
})

describe('the text of a warning', () => {
  test('engines: range, host version, its source, and the command that fixes it', async () => {
    const on = createMachine()
    writeBundle(on.home, feature('new', { engines: { gsd: '>=9' } }))
    const [warning] = (await load(on)).warnings
    expect(warning?.message).toBe('"new" (global) is skipped: it needs GSD ">=9", and this is 1.14.0 (built-in)')
    expect(warning).toMatchObject({ hint: 'gsd capability update new --scope global', path: '/engines/gsd', line: 1 })
  })

  test('a manifest for a newer GSD is incompatible before it is invalid', async () => {
    const on = createMachine()
    writeBundle(on.home, { ...feature('new', { engines: { gsd: '>=9' } }), skills: 'all' as unknown as string[] })
    expect(statuses(await load(on))).toEqual({ 'new/global': 'incompatible OVERLAY_INCOMPATIBLE' })
  })

  test('an overlay that requires an unusable one is skipped, with the reason of that one', async () => {
    const on = createMachine()
    bundleFolder(on, 'base')
    writeBundle(on.home, feature('user', { requires: ['base'] }))
    const loaded = await load(on)
    expect(loaded.rows.find((row) => row.id === 'user')).toMatchObject({
      status: 'blocked',
      code: 'REGISTRY_REQUIRES_SKIPPED',
      reason: 'it requires "base", which is skipped: its folder has no capability.json',
    })
  })
})

describe('fragments', () => {
  test('are read once and returned by path, without a byte order mark', async () => {
    const on = createMachine()
    writeBundle(on.home, withFragment('a', 'f/x.md'), { 'f/x.md': '\ufeffHello\n' })
    const { registry } = await load(on)
    expect(registry.byLoopPoint.get('plan:pre')).toMatchObject([
      { kind: 'contribution', capability: 'a', text: 'Hello\n' },
    ])
  })

  test('that are links inside the bundle are followed', async () => {
    const on = createMachine()
    const dir = writeBundle(on.home, withFragment('a', 'x.md'), { 'y.md': 'inner' })
    symlinkSync('y.md', join(dir, 'x.md'))
    expect((await load(on)).registry.byLoopPoint.get('plan:pre')).toMatchObject([{ text: 'inner' }])
  })
})

describe('scopes', () => {
  test('a project overlay without consent is inactive, contributes nothing and does not shadow', async () => {
    const on = machineWithValidBundle()
    const dir = writeBundle(on.project, withFragment('good', 'x.md'))
    execFileSync('mkfifo', [join(dir, 'x.md')])
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'good/project': 'inactive CONSENT_MISSING', 'good/global': 'active' })
    expect(loaded.rows[0]?.reason).toBe('never trusted here')
    expect(loaded.registry.capabilities.get('good')?.origin).toBe('global')
  })

  test('a trusted project overlay is active and shadows the global one', async () => {
    const on = machineWithValidBundle()
    const manifest = withFragment('good', 'x.md')
    writeBundle(on.project, manifest, { 'x.md': 'project' })
    grantConsent(on, on.project, manifest)
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({
      'good/project': 'orphan OVERLAY_ORPHAN',
      'good/global': 'shadowed REGISTRY_SHADOWED',
    })
    expect(loaded.registry.byLoopPoint.get('plan:pre')).toMatchObject([{ text: 'project' }])
  })

  test.each([
    [
      'a changed file',
      (dir: string) => writeFileSync(join(dir, 'x.md'), 'changed'),
      'changed since you trusted it: "x.md"',
    ],
    [
      'a new file',
      (dir: string) => writeFileSync(join(dir, 'new.md'), 'new'),
      'changed since you trusted it: "new.md"',
    ],
    ['a missing file', (dir: string) => unlinkSync(join(dir, 'y.md')), 'changed since you trusted it: "y.md"'],
    ['an executable bit', (dir: string) => chmodSync(join(dir, 'y.md'), 0o755), 'changed since you trusted it: "y.md"'],
    [
      'a link beside the files',
      (dir: string) => symlinkSync('x.md', join(dir, 'link')),
      'changed since you trusted it: ',
    ],
  ])('%s makes a trusted overlay inactive and is named', async (_what, change, reason) => {
    const on = createMachine()
    const manifest = withFragment('p', 'x.md')
    const dir = writeBundle(on.project, manifest, { 'x.md': 'x', 'y.md': 'y' })
    grantConsent(on, on.project, manifest)
    change(dir)
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'p/project': 'inactive CONSENT_CHANGED' })
    expect(loaded.rows[0]?.reason).toContain(reason)
    expect(loaded.warnings[0]?.hint).toBe('gsd capability trust grant p --scope project')
  })

  test('a moved project is distinguished, and a copy of an existing one is not trusted', async () => {
    const on = createMachine()
    const manifest = feature('p')
    writeBundle(on.project, manifest)
    grantConsent(on, on.project, manifest)
    const moved = join(on.base, 'moved')
    renameSync(on.project, moved)
    expect((await load(on, { project: moved })).rows).toMatchObject([
      {
        status: 'inactive',
        code: 'CONSENT_MOVED',
        reason: `project moved: you trusted it in "${on.project}", which no longer exists`,
      },
    ])
    mkdirSync(on.project)
    expect(statuses(await load(on, { project: moved }))).toEqual({ 'p/project': 'inactive CONSENT_MISSING' })
  })

  test('a consent store that cannot be read trusts nothing, is left unchanged and is reported', async () => {
    const on = machineWithValidBundle()
    writeBundle(on.project, feature('p'))
    writeFileIn(join(on.home, '.gsd/grants.json'), '{"schema":1,"grants":')
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'p/project': 'inactive CONSENT_MISSING', 'good/global': 'active' })
    expect(loaded.warnings.map((it) => it.code)).toContain('STATE_UNREADABLE')
  })

  test.each([
    ['.gsd', '.gsd'],
    ['capabilities', '.gsd/capabilities'],
  ])('a project whose %s is a link is refused completely', async (_what, place) => {
    const on = machineWithValidBundle()
    const manifest = feature('p')
    writeBundle(on.project, manifest)
    grantConsent(on, on.project, manifest)
    renameSync(join(on.project, place), join(on.base, 'aside'))
    symlinkSync(join(on.base, 'aside'), join(on.project, place))
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'good/global': 'active' })
    expect(loaded.warnings).toMatchObject([{ code: 'OVERLAY_LINKED', severity: 'warning', scope: 'project' }])
  })

  test('a bundle folder of a project that is a link is refused, the others load', async () => {
    const on = machineWithValidBundle()
    const manifest = feature('p')
    writeBundle(on.project, manifest)
    grantConsent(on, on.project, manifest)
    symlinkSync(join(on.home, '.gsd/capabilities/good'), join(on.project, '.gsd/capabilities/q'))
    expect(statuses(await load(on))).toEqual({
      'p/project': 'orphan OVERLAY_ORPHAN',
      'q/project': 'invalid OVERLAY_LINKED',
      'good/global': 'active',
    })
  })

  test('in the home .gsd may be a link', async () => {
    const on = machineWithValidBundle()
    renameSync(join(on.home, '.gsd'), join(on.base, 'dotfiles'))
    symlinkSync(join(on.base, 'dotfiles'), join(on.home, '.gsd'))
    expect(statuses(await load(on))).toEqual({ 'good/global': 'active' })
  })

  test('a folder that is home and project at once is loaded once, as a project', async () => {
    const on = machineWithValidBundle()
    const loaded = await load(on, { project: on.home })
    expect(loaded.rows.map((row) => row.scope)).toEqual(['project'])
  })

  test('a capability that neither state file mentions is enabled; either of them disables it', async () => {
    const on = createMachine()
    for (const id of ['a', 'b', 'c', 'd']) writeBundle(on.home, feature(id))
    writeFileIn(join(on.firstParty, 'f/capability.json'), JSON.stringify(feature('f')))
    writeBundle(on.home, feature('needs', { requires: ['f'] }))
    writeFileIn(
      join(on.home, '.gsd/state.json'),
      JSON.stringify({ schema: 1, capabilities: { a: 'disabled', b: 'enabled', f: 'disabled' } }),
    )
    writeFileIn(
      join(on.project, '.gsd/state.json'),
      JSON.stringify({ schema: 1, capabilities: { a: 'enabled', c: 'disabled' } }),
    )
    writeLedger(on.home, ['a', 'b', 'c', 'd', 'needs'])
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({
      'a/global': 'disabled OVERLAY_DISABLED',
      'b/global': 'active',
      'c/global': 'disabled OVERLAY_DISABLED',
      'd/global': 'active',
      'f/first-party': 'disabled OVERLAY_DISABLED',
      'needs/global': 'blocked REGISTRY_REQUIRES_SKIPPED',
    })
    expect(loaded.rows.find((row) => row.id === 'c')?.reason).toBe('it is disabled in this project')
    expect(loaded.warnings.find((it) => it.id === 'needs')?.message).toContain(
      'it requires "f", which is disabled by you',
    )
  })
})

describe('ledger and folder', () => {
  test('an entry without a folder is missing, a folder without an entry is an orphan that loads', async () => {
    const on = createMachine()
    writeBundle(on.home, feature('orphan'))
    writeLedger(on.home, ['gone'])
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({
      'gone/global': 'missing OVERLAY_MISSING',
      'orphan/global': 'orphan OVERLAY_ORPHAN',
    })
    expect(loaded.rows[0]).toMatchObject({ version: '1.0.0', source: './x' })
    expect(loaded.warnings).toMatchObject([{ code: 'OVERLAY_MISSING', id: 'gone', hint: 'gsd capability sync' }])
    expect(loaded.registry.capabilities.has('orphan')).toBe(true)
  })

  test('a skipped overlay without a ledger entry gets a hint to delete it, not a remove command', async () => {
    const hints = async (known: readonly string[]) => {
      const on = createMachine()
      const bundle = (id: string, more: object) => writeBundle(on.home, feature(id, { skills: ['shared'], ...more }))
      bundle('a', {})
      bundle('b', {})
      if (known.length > 0) writeLedger(on.home, [...known])
      const { warnings } = await load(on)
      return Object.fromEntries(warnings.map(({ id, hint }) => [id, hint?.replace(on.home, '~')]))
    }
    expect(await hints(['a', 'b'])).toEqual({
      b: 'gsd capability remove b --scope global',
    })
    for (const known of [['a'], []])
      expect(await hints(known)).toEqual({
        b: 'delete its folder, which is not in the ledger: ~/.gsd/capabilities/b',
      })
  })

  test.each(['ledger', 'state'])(
    'a %s that cannot be read or is newer is reported and left unchanged, and overlays load',
    async (name) => {
      for (const [text, code] of [
        ['{', 'STATE_UNREADABLE'],
        ['{"schema":99}', 'STATE_NEWER_SCHEMA'],
      ] as const) {
        const on = createMachine()
        writeBundle(on.home, feature('a'))
        writeFileIn(join(on.home, `.gsd/${name}.json`), text)
        const loaded = await load(on)
        expect([...loaded.registry.capabilities.keys()]).toEqual(['a'])
        expect(loaded.warnings).toMatchObject([{ code, severity: 'warning', scope: 'global' }])
      }
    },
  )
})

describe('an operation in progress', () => {
  test('is reported after a second check', async () => {
    const on = machineWithValidBundle()
    writeFileIn(join(on.home, '.gsd/.journal.json'), '{}')
    const loaded = await load(on)
    expect(loaded.warnings).toMatchObject([{ code: 'STATE_BUSY', severity: 'info', scope: 'global' }])
    expect(statuses(loaded)).toEqual({ 'good/global': 'active' })
  })

  test('and finished meanwhile is not reported, and its result is loaded', async () => {
    const on = machineWithValidBundle()
    writeFileIn(join(on.home, '.gsd/.journal.json'), '{}')
    const loading = load(on)
    writeBundle(on.home, feature('late'))
    rmSync(join(on.home, '.gsd/.journal.json'))
    const loaded = await loading
    expect(loaded.warnings).toEqual([])
    expect(loaded.registry.capabilities.has('late')).toBe(true)
  })
})

describe('another first-party set', () => {
  test('is loaded from a folder, reserved ids allowed, its faults as warnings', async () => {
    const on = createMachine()
    writeFileIn(join(on.firstParty, 'gsd-own/capability.json'), JSON.stringify(feature('gsd-own')))
    writeFileIn(join(on.firstParty, 'bad/capability.json'), '{')
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'gsd-own/first-party': 'active', 'bad/first-party': 'invalid OVERLAY_SYNTAX' })
  })

  test('that does not exist is one warning', async () => {
    const on = machineWithValidBundle()
    rmSync(on.firstParty, { recursive: true })
    const loaded = await load(on)
    expect(statuses(loaded)).toEqual({ 'good/global': 'active' })
    expect(loaded.warnings).toMatchObject([{ severity: 'warning', file: on.firstParty }])
  })
})
