import * as fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allowedRange, checkForUpdates, listVersions, type UpdateCheck } from '../../src/resolve/versions.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import type { Resolved } from '../../src/state/ledger.ts'
import { type FetchFixtureOptions, useFetchFixture } from '../helpers/fetch-fixture.ts'
import { makeRepository, type Repository } from '../helpers/git.ts'
import { startRegistry } from '../helpers/npm-registry.ts'
import type { TestServer } from '../helpers/servers.ts'

const room = useFetchFixture()
const open: TestServer[] = []
let repo: Repository
beforeEach(() => {
  repo = makeRepository(room.at('repo'))
  repo.commit({ 'capability.json': '{}' })
  repo.tag('v1.0.0')
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})

const specOf = (text: string) => parseSpec(text, { cwd: room.dir, home: room.at('home') })
const stat = (text: string, recorded: Resolved, choices: FetchFixtureOptions = {}): Promise<UpdateCheck> =>
  checkForUpdates(specOf(text), recorded, room.context(choices))
const recordedNow = async (text: string): Promise<Resolved> => (await room.fetch(text)).resolved

describe('the newest version of a repository', () => {
  test.each(['', '#semver:^1', '#main', '#branch:main'])('is what %s would fetch', async (ref) => {
    const text = repo.url + ref
    const recorded = await recordedNow(text)
    const isBranch = ref.includes('main')
    const seen = (version: string, commit: string): UpdateCheck => ({
      kind: 'listed',
      version: isBranch ? null : version,
      commit,
      tag: isBranch ? null : `v${version}`,
      newest: version,
    })
    expect(await stat(text, recorded)).toEqual(seen('1.0.0', recorded.commit ?? ''))
    const commit = repo.commit({ 'x.md': 'x' })
    repo.tag('v1.1.0', 'newer')
    expect(await stat(text, recorded)).toEqual(seen('1.1.0', commit))
    expect((await recordedNow(text)).commit).toBe(commit)
  })

  test('is pinned for a tag and a commit, and a moved tag is detected', async () => {
    for (const ref of ['#v1.0.0', '#tag:v1.0.0', `#${repo.git('rev-parse', 'HEAD')}`]) {
      expect(await stat(repo.url + ref, await recordedNow(repo.url + ref)), ref).toEqual({ kind: 'pinned' })
    }
    const recorded = await recordedNow(`${repo.url}#v1.0.0`)
    const commit = repo.commit({ 'x.md': 'x' })
    repo.git('tag', '-f', 'v1.0.0')
    expect(await stat(`${repo.url}#v1.0.0`, recorded)).toEqual({
      kind: 'listed',
      version: '1.0.0',
      commit,
      tag: 'v1.0.0',
      newest: '1.0.0',
    })
    expect(await stat(`${repo.url}#v1.0.0`, recorded, { offline: true })).toEqual({ kind: 'pinned' })
    const sha = recorded.commit ?? ''
    expect(await stat(`${repo.url}#${sha}`, recorded, { offline: true })).toEqual({ kind: 'pinned' })
  })

  test('is requested in parallel, and one failure does not end the others', async () => {
    const recorded = await recordedNow(repo.url)
    const results = await Promise.allSettled([
      stat(`git+file://${room.at('home')}/gone`, recorded),
      stat(repo.url, recorded, { offline: true }),
      stat(repo.url, recorded),
      stat(repo.url, recorded, { signal: AbortSignal.abort() }),
      stat(repo.url, recorded),
    ])
    expect(
      results.map((each) => (each.status === 'rejected' ? (each.reason as { code: string }).code : each.value.kind)),
    ).toEqual(['FETCH_NOT_FOUND', 'FETCH_OFFLINE', 'listed', 'INTERRUPTED', 'listed'])
    const [folder = ''] = fs.readdirSync(room.at('cache/git'))
    expect(fs.readdirSync(room.at('cache/git', folder)).filter((name) => name.startsWith('passing'))).toEqual([])
  })
})

test('the newest version of a registry is the one that npm would pick', async () => {
  const versions = { '1.0.0': {}, '1.2.0': {}, '1.3.0': { deprecated: 'broken' }, '2.0.0': {}, '3.0.0-rc.1': {} }
  const web = await startRegistry({ packages: { cap: versions }, tags: { latest: '2.0.0', next: '3.0.0-rc.1' } })
  open.push(web)
  fs.writeFileSync(room.at('home/.npmrc'), `registry=${web.url}/\n`)
  const cases = [
    ['npm:cap', '2.0.0'],
    ['npm:cap@next', '3.0.0-rc.1'],
    ['npm:cap@^1', '1.2.0'],
    ['npm:cap@>=1', '2.0.0'],
  ] as const
  for (const [text, version] of cases) {
    const seen = { kind: 'listed', version, newest: '2.0.0', commit: null, tag: null }
    expect(await stat(text, { kind: 'npm', version: '1.0.0' }), text).toEqual(seen)
    expect((await room.fetch(text)).resolved.version, text).toBe(version)
  }
  expect(await stat('npm:cap@1.0.0', { kind: 'npm', version: '1.0.0' })).toEqual({ kind: 'pinned' })
  await expect(stat('npm:cap@^9', { kind: 'npm', version: '1.0.0' })).rejects.toMatchObject({
    code: 'FETCH_NO_VERSION',
    hint: expect.stringContaining('3.0.0-rc.1, 2.0.0'),
  })
})

test('the newest version of a catalog does not depend on the range', async () => {
  const spec = { spec: './x' }
  fs.writeFileSync(
    room.at('team.json'),
    JSON.stringify({
      schema: 1,
      capabilities: { notes: { versions: { '1.0.0': spec, '1.1.0': spec, '2.0.0-rc.1': spec } } },
    }),
  )
  const catalogs = { team: './team.json' }
  const at = (text: string) => stat(text, { kind: 'catalog', version: '1.0.0' }, { catalogs })
  expect(await at('notes@team')).toEqual({ kind: 'fetch', newest: '1.1.0' })
  expect(await at('notes@<1.1@team')).toEqual({ kind: 'fetch', newest: '1.1.0' })
  expect(await at('notes@1.0.0@team')).toEqual({ kind: 'pinned' })
  await expect(at('notes@other')).rejects.toMatchObject({ code: 'SPEC_UNKNOWN_CATALOG' })
})

test('an archive and a folder are fetched and compared', async () => {
  expect(await stat('https://localhost:1/x.tgz', { kind: 'tarball' })).toEqual({ kind: 'fetch', newest: null })
  expect(await stat('./x.tgz', { kind: 'tarball' })).toEqual({ kind: 'fetch', newest: null })
  expect(await stat('./x', { kind: 'local' })).toEqual({ kind: 'fetch', newest: null })
})

test('a source with a list of versions gives each with its exact spec, newest first', async () => {
  for (const tag of ['v1.2.0', 'v2.0.0-rc.1', 'cap@1.3.0', 'nightly']) repo.tag(tag)
  const listed = async (text: string) =>
    (await listVersions(specOf(text), room.context()))?.map(({ version, spec }) => [
      version,
      'ref' in spec ? spec.ref : null,
    ]) ?? null
  const tag = (name: string) => ({ kind: 'tag', name })
  expect(await listed(`${repo.url}#v1.0.0`)).toEqual([
    ['2.0.0-rc.1', tag('v2.0.0-rc.1')],
    ['1.2.0', tag('v1.2.0')],
    ['1.0.0', tag('v1.0.0')],
  ])
  expect((await listed(`${repo.url}#path:capabilities/cap`))?.[1]).toEqual(['1.3.0', tag('cap@1.3.0')])
  expect(await listed('./x.tgz')).toBeNull()
  expect(await listed('./x')).toBeNull()
})

test.each([
  ['github:o/r', null],
  ['github:o/r#semver:^1', '^1'],
  ['github:o/r#v1.0.0', undefined],
  ['github:o/r#branch:main', undefined],
  ['npm:cap', null],
  ['npm:cap@next', null],
  ['npm:cap@^1', '^1'],
  ['npm:cap@1.0.0', undefined],
  ['notes@team', null],
  ['notes@^1@team', '^1'],
  ['notes@1.0.0@team', undefined],
  ['./x', undefined],
  ['https://localhost/x.tgz', undefined],
])('%s leaves the version open within %s', (text, range) => {
  expect(allowedRange(specOf(text))).toBe(range)
})
