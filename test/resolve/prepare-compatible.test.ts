import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { GsdError } from '../../src/errors.ts'
import { info } from '../../src/operation/info.ts'
import { outdated } from '../../src/operation/outdated.ts'
import { installIn, updateIn } from '../helpers/operations.ts'
import { useReleases, type Release } from '../helpers/releases.ts'
import { refusalOf, useScratch } from '../helpers/scratch.ts'
import type { TestContextOptions } from '../helpers/test-context.ts'

const scratch = useScratch('gsd-downgrade-')
const publish = useReleases(scratch)

/** The newest needs a host that does not exist yet, and lists the host versions of the others. */
const RELEASES: readonly Release[] = [
  { version: '1.0.0', gsd: '>=1.6.0' },
  { version: '1.2.0', gsd: '>=1.10.0' },
  { version: '2.0.0', gsd: '>=2.0.0', table: { '1.0.0': '1.6.0', '1.2.0': '>=1.10.0 <2.0.0' } },
]
const host = (GSD_VERSION: string) => ({ env: { GSD_VERSION } })
const NOW = host('1.14.0')

const ledgerOf = (id = 'notes') => JSON.parse(scratch.text('home/.gsd/ledger.json')).capabilities[id]

const rowOf = async (world: TestContextOptions) => {
  const { rows } = await outdated(scratch.testContext(world).context, { scope: 'global', allowHttp: false })
  return rows.find(({ id }) => id === 'notes')
}

const staged = (): readonly string[] => {
  const folder = scratch.path('cache/gsd-capability/staging')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Runs an operation that must be refused and change only the cache. */
const refused = async (work: () => unknown): Promise<GsdError> => {
  const state = (): string[] => scratch.tree().filter((line) => !line.startsWith('cache'))
  const before = state()
  const error = await refusalOf(work)
  expect(state()).toEqual(before)
  expect(staged()).toEqual([])
  return error
}

/** Publishes, and returns the spec of the capability, with an optional suffix. */
const KINDS = {
  git: async (releases: readonly Release[], tail = '') =>
    `${publish.git('notes', releases).url.slice('git+'.length)}${tail}`,
  npm: async (releases: readonly Release[], tail = '') => {
    await publish.npm('notes', releases)
    return `npm:notes${tail}`
  },
  catalog: async (releases: readonly Release[], tail = '') => {
    publish.catalog({ notes: releases })
    return `notes${tail}@team`
  },
}
interface Packument {
  readonly versions: Readonly<Record<string, { readonly dist: { readonly integrity: string } }>>
}
type Kind = keyof typeof KINDS

describe('a spec that leaves the version open', () => {
  test.each<readonly [Kind, string]>([
    ['git', ''],
    ['git', '#semver:>=1'],
    ['npm', ''],
    ['npm', '@>=1'],
    ['catalog', ''],
    ['catalog', '@>=1'],
  ])('of %s%s falls back to the newest version that fits, and reports it', async (kind, tail) => {
    const spec = await KINDS[kind](RELEASES, tail)
    const { installed, warnings } = await scratch.install(spec, {}, NOW)
    expect(installed).toMatchObject([{ id: 'notes', version: '1.2.0', downgradedFrom: '2.0.0' }])
    expect(warnings.find(({ code }) => code === 'OVERLAY_DOWNGRADED')).toMatchObject({
      id: 'notes',
      message: expect.stringMatching(/2\.0\.0.*>=2\.0\.0.*1\.14\.0.*1\.2\.0/),
    })
    expect(ledgerOf()).toMatchObject({ version: '1.2.0', spec })
    expect(staged()).toEqual([])
  })

  test.each<Kind>(['git', 'catalog'])(
    'of %s stays open, so that an update installs the newest as soon as the host fits it',
    async (kind) => {
      const spec = await KINDS[kind](RELEASES)
      await scratch.install(spec, {}, NOW)
      const ledger = scratch.text('home/.gsd/ledger.json')
      expect(await updateIn(scratch.testContext(NOW).context, 'notes')).toMatchObject({
        updated: [],
        unchanged: ['notes'],
      })
      expect(scratch.text('home/.gsd/ledger.json')).toBe(ledger)
      expect(await rowOf(NOW)).toMatchObject({ status: 'current', reason: expect.stringContaining('2.0.0') })
      expect(await rowOf(host('2.1.0'))).toMatchObject({ status: 'outdated', wanted: '2.0.0' })
      const { updated } = await updateIn(scratch.testContext(host('2.1.0')).context, 'notes')
      expect(updated).toMatchObject([{ id: 'notes', from: '1.2.0', version: '2.0.0' }])
      expect(updated[0]?.downgradedFrom).toBeUndefined()
      expect(ledgerOf()).toMatchObject({ version: '2.0.0', spec })
    },
  )

  test('keeps an installed version that fits on an update, even if the table no longer lists it', async () => {
    const spec = await KINDS.catalog([...RELEASES.slice(0, 2), { version: '1.3.0', gsd: '>=1.10.0' }])
    await scratch.install(spec, {}, NOW)
    await KINDS.catalog([...RELEASES, { version: '1.3.0', gsd: '>=1.10.0' }])
    expect(await rowOf(NOW)).toMatchObject({ status: 'current', reason: expect.stringContaining('2.0.0') })
    expect(await updateIn(scratch.testContext(NOW).context, 'notes')).toMatchObject({
      updated: [],
      unchanged: ['notes'],
    })
    const { updated } = await updateIn(scratch.testContext(host('1.8.0')).context, 'notes')
    expect(updated).toMatchObject([{ from: '1.3.0', version: '1.0.0' }])
  })

  test('falls back as far as the host needs', async () => {
    const spec = await KINDS.catalog(RELEASES)
    expect((await scratch.install(spec, {}, host('1.8.0'))).installed).toMatchObject([{ version: '1.0.0' }])
  })

  test('falls back on an update, too, if a host is older', async () => {
    const spec = await KINDS.git(RELEASES)
    await scratch.install(spec, {}, host('2.0.0'))
    const { updated } = await updateIn(scratch.testContext(NOW).context, 'notes')
    expect(updated).toMatchObject([{ from: '2.0.0', version: '1.2.0', downgradedFrom: '2.0.0' }])
  })

  test.each<readonly [Kind, string]>([
    ['git', '#semver:^2'],
    ['catalog', '@^2'],
  ])('of %s%s never leaves its range', async (kind, tail) => {
    const spec = await KINDS[kind](RELEASES, tail)
    expect(await refused(() => scratch.install(spec, {}, NOW))).toMatchObject({
      code: 'OVERLAY_INCOMPATIBLE',
      exitStatus: 3,
    })
  })

  test.each<Kind>(['git', 'catalog'])(
    'of %s is refused with --no-downgrade, naming the version that would fit',
    async (kind) => {
      const spec = await KINDS[kind](RELEASES)
      const error = await refused(() => scratch.install(spec, { downgrade: false }, NOW))
      expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', exitStatus: 3, details: { fitting: '1.2.0' } })
    },
  )

  test('is refused if the table lists no version that fits the host', async () => {
    const spec = await KINDS.git(RELEASES)
    const error = await refused(() => scratch.install(spec, {}, host('1.2.0')))
    expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', details: { range: '>=2.0.0', version: '1.2.0' } })
    expect(error.message).toContain('1.2.0 (GSD_VERSION)')
  })

  test('is refused if the version that fits does not exist', async () => {
    const spec = await KINDS.git([{ version: '2.0.0', gsd: '>=2.0.0', table: { '1.2.0': '1.6.0' } }])
    expect(await refused(() => scratch.install(spec, {}, NOW))).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE' })
  })

  test('with a stated integrity does not fall back', async () => {
    const web = await publish.npm('notes', RELEASES)
    const { dist } = ((await (await fetch(`${web.url}/notes`)).json()) as Packument).versions['2.0.0'] ?? {}
    const error = await refused(() => scratch.install('npm:notes', { integrity: dist?.integrity ?? '' }, NOW))
    expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', details: { fitting: '1.2.0' } })
  })
})

describe('an exact pin', () => {
  const PINS = [
    ['git', '#v2.0.0'],
    ['git', '#tag:v2.0.0'],
    ['npm', '@2.0.0'],
    ['catalog', '@2.0.0'],
  ] as const
  test.each(PINS)(
    'of %s%s is refused, naming the version that fits, and --downgrade installs that',
    async (kind, tail) => {
      const spec = await KINDS[kind](RELEASES, tail)
      const error = await refused(() => scratch.install(spec, {}, NOW))
      expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', exitStatus: 3, details: { fitting: '1.2.0' } })
      expect(error.hint).toMatch(/1\.2\.0 .*--downgrade/)
      const { installed } = await scratch.install(spec, { downgrade: true }, NOW)
      expect(installed).toMatchObject([{ version: '1.2.0', downgradedFrom: '2.0.0' }])
    },
  )

  test('by commit is refused in the same way', async () => {
    const repository = publish.git('notes', RELEASES)
    const spec = `${repository.url}#sha:${repository.git('rev-parse', 'v2.0.0')}`
    const error = await refused(() => scratch.install(spec, {}, NOW))
    expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', details: { fitting: '1.2.0' } })
    expect((await scratch.install(spec, { downgrade: true }, NOW)).installed).toMatchObject([{ version: '1.2.0' }])
  })

  test.each<readonly [Kind, string]>([
    ['git', '#v2.0.0'],
    ['npm', '@2.0.0'],
    ['catalog', '@2.0.0'],
  ])('of %s%s that was downgraded stays so on an update, until the host fits it', async (kind, tail) => {
    const spec = await KINDS[kind](RELEASES, tail)
    await scratch.install(spec, { downgrade: true }, NOW)
    expect(await updateIn(scratch.testContext(NOW).context, 'notes')).toMatchObject({
      updated: [],
      unchanged: ['notes'],
    })
    expect(await rowOf(NOW)).toMatchObject({ status: 'pinned', reason: expect.stringContaining('2.0.0') })
    expect(await rowOf(host('2.0.0'))).toMatchObject({ status: 'outdated', wanted: '2.0.0' })
    const { updated } = await updateIn(scratch.testContext(host('2.0.0')).context, 'notes')
    expect(updated).toMatchObject([{ from: '1.2.0', version: '2.0.0' }])
  })

  test('is refused with its own error if the versions that fit cannot be requested', async () => {
    const repository = publish.git('notes', RELEASES)
    const spec = `${repository.url}#sha:${repository.git('rev-parse', 'v2.0.0')}`
    await refused(() => scratch.install(spec, {}, NOW))
    const { context } = scratch.testContext(NOW)
    expect(await refused(() => installIn({ ...context, offline: true }, spec))).toMatchObject({
      code: 'OVERLAY_INCOMPATIBLE',
    })
  })
})

describe('the fallback', () => {
  test('reads the tables of older versions if the newer ones list no more', async () => {
    const spec = await KINDS.git([
      { version: '1.0.0', gsd: '>=1.6.0' },
      { version: '2.0.0', gsd: '>=1.20.0', table: { '1.0.0': '1.6.0' } },
      { version: '3.0.0', gsd: '>=3.0.0', table: { '2.0.0': '1.10.0' } },
    ])
    const { installed } = await scratch.install(spec, {}, NOW)
    expect(installed).toMatchObject([{ version: '1.0.0', downgradedFrom: '3.0.0' }])
  })

  test('trusts the fetched version, not the table, and tries the next', async () => {
    const spec = await KINDS.catalog([
      { version: '1.0.0', gsd: '>=1.6.0' },
      { version: '1.5.0', gsd: '>=1.90.0' },
      { version: '2.0.0', gsd: '>=2.0.0', table: { '1.0.0': '1.6.0', '1.5.0': '1.6.0' } },
    ])
    const { installed } = await scratch.install(spec, {}, NOW)
    expect(installed).toMatchObject([{ version: '1.0.0', downgradedFrom: '2.0.0' }])
  })

  test.each<Kind>(['git', 'catalog'])('of %s is refused if every row of the table is wrong', async (kind) => {
    const spec = await KINDS[kind]([
      { version: '1.0.0', gsd: '>=1.50.0' },
      { version: '1.5.0', gsd: '>=1.90.0' },
      { version: '2.0.0', gsd: '>=2.0.0', table: { '1.0.0': '1.6.0', '1.5.0': '1.6.0' } },
    ])
    expect(await refused(() => scratch.install(spec, {}, NOW))).toMatchObject({
      code: 'OVERLAY_INCOMPATIBLE',
      message: expect.stringContaining('2.0.0'),
    })
  })

  test('uses the versions of a catalog if there is no table', async () => {
    const spec = await KINDS.catalog([
      { version: '1.0.0', gsd: '>=1.6.0' },
      { version: '1.5.0', gsd: '>=1.90.0' },
      { version: '2.0.0', gsd: '>=2.0.0' },
    ])
    expect(await refused(() => scratch.install(spec, {}, NOW))).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE' })
    const list = JSON.parse(scratch.text('catalog/catalog.json'))
    const { versions } = list.capabilities.notes
    for (const [version, gsd] of [
      ['1.0.0', '>=1.6.0'],
      ['1.5.0', '>=1.6.0'],
      ['2.0.0', '>=2.0.0'],
    ] as const)
      versions[version].engines = { gsd }
    scratch.put('catalog/catalog.json', JSON.stringify(list))
    const { installed } = await scratch.install(spec, {}, NOW)
    expect(installed).toMatchObject([{ version: '1.0.0', downgradedFrom: '2.0.0' }])
  })

  test('ends, however many versions a table lists', async () => {
    const older = Array.from({ length: 12 }, (_, n): Release => ({ version: `1.${n}.0`, gsd: '>=1.90.0' }))
    const table = Object.fromEntries(older.map(({ version }) => [version, '1.0.0']))
    const spec = await KINDS.catalog([...older, { version: '2.0.0', gsd: '>=2.0.0', table }])
    expect(await refused(() => scratch.install(spec, {}, NOW))).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE' })
  })

  test.each([
    ['stable, though a prerelease is newer', ['1.0.0', '1.1.0-rc.1'], '1.0.0'],
    ['a prerelease, where nothing stable fits', ['1.1.0-beta.2', '1.1.0-rc.1'], '1.1.0-rc.1'],
  ])('accepts %s', async (_, versions, taken) => {
    const table = Object.fromEntries(versions.map((version) => [version, '1.6.0']))
    const older = versions.map((version): Release => ({ version, gsd: '>=1.6.0' }))
    const spec = await KINDS.git([...older, { version: '2.0.0', gsd: '>=2.0.0', table }])
    expect((await scratch.install(spec, {}, NOW)).installed).toMatchObject([{ version: taken }])
  })

  test('never installs another capability', async () => {
    const repository = publish.git('other', [{ version: '1.0.0', gsd: '>=1.6.0' }])
    repository.commit({
      'capability.json': JSON.stringify({
        ...JSON.parse(scratch.text('sources/other.git/capability.json')),
        id: 'notes',
        version: '2.0.0',
        engines: { gsd: '>=2.0.0' },
        compatVersions: { '1.0.0': '1.6.0' },
      }),
    })
    repository.tag('v2.0.0')
    expect(await refused(() => scratch.install(repository.url, {}, NOW))).toMatchObject({
      code: 'OVERLAY_INCOMPATIBLE',
    })
  })

  test('applies to a requirement that is installed automatically', async () => {
    publish.catalog({
      base: RELEASES,
      top: [{ version: '1.0.0', manifest: { requires: ['base'] } }],
    })
    const { installed } = await scratch.install('top@team', {}, NOW)
    expect(installed).toMatchObject([{ id: 'top' }, { id: 'base', version: '1.2.0', downgradedFrom: '2.0.0' }])
  })
})

describe('a source that has one version only', () => {
  const [, , NEWEST] = RELEASES
  const manifest = { version: '2.0.0', engines: { gsd: '>=2.0.0' }, compatVersions: NEWEST?.table }
  test.each([null, true, false])('is refused, --downgrade or not: %s', async (downgrade) => {
    const folder = scratch.bundle('notes', { manifest })
    const error = await refused(() => scratch.install(folder, { downgrade }, NOW))
    expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', exitStatus: 3 })
    expect(error.details).not.toHaveProperty('fitting')
  })

  test('is refused as an archive, too', async () => {
    const folder = scratch.bundle('notes', { manifest })
    execFileSync('tar', ['-czf', scratch.path('notes.tgz'), '-C', folder, '.'])
    const error = await refused(() => scratch.install(scratch.path('notes.tgz'), { downgrade: true }, NOW))
    expect(error).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE', exitStatus: 3 })
  })
})

test('info of a spec takes --downgrade and --no-downgrade as install does', async () => {
  const spec = await KINDS.git(RELEASES)
  const { context } = scratch.testContext(NOW)
  const infoWith = (target: string, downgrade: boolean) =>
    info(context, { target, scope: null, preview: { integrity: null, allowHttp: false, downgrade } })
  expect((await infoWith(`${spec}#v2.0.0`, true)).details).toMatchObject([{ id: 'notes', version: '1.2.0' }])
  expect(await refused(() => infoWith(spec, false))).toMatchObject({ code: 'OVERLAY_INCOMPATIBLE' })
})
