import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { verifyArtifact } from '../../../src/bundle/verify-artifact.ts'
import { GsdError } from '../../../src/errors.ts'
import type { FetchResult } from '../../../src/fetch/fetcher.ts'
import { listVersions } from '../../../src/resolve/versions.ts'
import type { Contact } from '../../../src/state/config/policy.ts'
import { failureOf, useFetchFixture } from '../../helpers/fetch-fixture.ts'
import { makeRepository } from '../../helpers/git.ts'
import { startHttpsServer, type TestServer } from '../../helpers/servers.ts'
import { MANIFEST_ENTRY, tgz } from '../../helpers/tar.ts'

const room = useFetchFixture()
const open: TestServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})
const started = async (listener: RequestListener): Promise<TestServer> => {
  const web = await startHttpsServer(listener)
  open.push(web)
  return web
}

const BYTES = tgz(MANIFEST_ENTRY)
const INTEGRITY = `sha512-${createHash('sha512').update(BYTES).digest('base64')}`

const textOf = (versions: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ schema: 1, capabilities: { notes: { title: 'Notes', versions } } })
/** A catalog file; relative paths in it start at its folder. */
const catalogFile = (text: string, path = 'lists/team.json'): { readonly team: string } => {
  fs.mkdirSync(dirname(room.at(path)), { recursive: true })
  fs.writeFileSync(room.at(path), text)
  return { team: room.at(path) }
}
const folder = (name: string): void => {
  fs.mkdirSync(room.at('lists', name), { recursive: true })
  fs.writeFileSync(room.at('lists', name, 'capability.json'), '{}')
}
const verified = async ({ source, statedIntegrities }: FetchResult): Promise<string> =>
  source.kind === 'archive' ? verifyArtifact(source.file, statedIntegrities) : Promise.reject(new Error('no archive'))

describe('a catalog', () => {
  test('selects the newest stable version in the range, and passes on its stated values', async () => {
    for (const name of ['a', 'b', 'c']) folder(name)
    const catalogs = catalogFile(
      textOf({
        '1.2.0': { spec: './a', engines: { gsd: '>=1.6.0' } },
        '1.10.0': { spec: './b' },
        '2.0.0-rc.1': { spec: './c' },
      }),
    )
    for (const [text, name, version] of [
      ['notes@team', 'b', '1.10.0'],
      ['notes@^1@team', 'b', '1.10.0'],
      ['notes@<1.5@team', 'a', '1.2.0'],
      ['notes@1.2.0@team', 'a', '1.2.0'],
      ['notes@>=2.0.0-rc.0@team', 'c', '2.0.0-rc.1'],
    ] as const) {
      const fetched = await room.fetch(text, { catalogs })
      expect(fetched.source, text).toEqual({ kind: 'folder', dir: room.at('lists', name) })
      expect(fetched.resolved).toEqual({ kind: 'catalog', version })
      expect(fetched.catalogExpectation).toEqual({
        from: 'the catalog "team"',
        id: 'notes',
        version,
        engines: version === '1.2.0' ? '>=1.6.0' : null,
        digest: null,
      })
    }
  })

  test('over https points to an archive and states its integrity', async () => {
    let stated = INTEGRITY
    const web = await started((request, response) =>
      request.url === '/team.json'
        ? void response.end(textOf({ '1.0.0': { spec: `${web.url}/x.tgz`, integrity: stated } }))
        : void response.end(BYTES),
    )
    const catalogs = { team: `${web.url}/team.json` }
    const fetched = await room.fetch('notes@team', { catalogs })
    expect(fetched.resolved).toEqual({ kind: 'catalog', version: '1.0.0', url: `${web.url}/x.tgz` })
    expect(await verified(fetched)).toBe(INTEGRITY)
    stated = `sha512-${createHash('sha512').update('other').digest('base64')}`
    const refused = await failureOf(room.fetch('notes@team', { catalogs }).then(verified))
    expect(refused).toMatchObject({
      code: 'INTEGRITY_MISMATCH',
      exitStatus: 3,
      message: expect.stringContaining('the catalog "team"'),
    })
  })

  test('is requested again only when it changed, or when its cached copy is incomplete', async () => {
    folder('a')
    let text = textOf({ '1.0.0': { spec: 'https://localhost:1/a.tgz', integrity: INTEGRITY } })
    const statuses: number[] = []
    const web = await started((request, response) => {
      const tag = `"${createHash('sha256').update(text).digest('hex')}"`
      statuses.push(request.headers['if-none-match'] === tag ? 304 : 200)
      response.writeHead(statuses.at(-1) ?? 0, { etag: tag, 'content-length': String(text.length) })
      response.end(statuses.at(-1) === 200 ? text : undefined)
    })
    const catalogs = { team: `${web.url}/team.json` }
    const versions = async (): Promise<readonly string[]> =>
      (
        (await listVersions(
          { kind: 'catalog', id: 'notes', range: null, catalog: 'team' },
          room.context({ catalogs }),
        )) ?? []
      ).map(({ version }) => version)
    expect(await versions()).toEqual(['1.0.0'])
    expect(await versions()).toEqual(['1.0.0'])
    text = textOf({ '1.0.0': { spec: 'https://localhost:1/a.tgz' }, '1.1.0': { spec: 'https://localhost:1/b.tgz' } })
    expect(await versions()).toEqual(['1.1.0', '1.0.0'])
    expect(statuses).toEqual([200, 304, 200])
    const [kept = ''] = fs.readdirSync(room.at('cache/catalogs'))
    const file = room.at('cache/catalogs', kept)
    for (const part of [0, 0.5, 0.9]) {
      const complete = fs.readFileSync(file)
      fs.writeFileSync(file, complete.subarray(0, complete.length * part))
      expect(await versions()).toEqual(['1.1.0', '1.0.0'])
      fs.writeFileSync(
        file,
        Buffer.concat([complete.subarray(0, complete.length * part), Buffer.alloc(complete.length)]),
      )
      expect(await versions()).toEqual(['1.1.0', '1.0.0'])
      expect(statuses.splice(-2)).toEqual([200, 200])
    }
  })

  test('may be a repository, and point to another', async () => {
    const notes = makeRepository(room.at('notes'))
    const commit = notes.commit({ 'capability.json': '{}' })
    notes.tag('v1.0.0')
    const list = makeRepository(room.at('list'))
    list.commit({ 'sub/catalog.json': textOf({ '1.0.0': { spec: `${notes.url}#v1.0.0` } }) })
    const catalogs = { team: `${list.url}#path:sub` }
    const fetched = await room.fetch('notes@team', { catalogs })
    expect(fetched.source.kind).toBe('tree')
    expect(fetched.resolved).toEqual({
      kind: 'catalog',
      version: '1.0.0',
      url: `file://${notes.dir}`,
      commit,
      tag: 'v1.0.0',
    })
    expect(await room.failure('notes@team', { catalogs: { team: list.url } })).toMatchObject({
      code: 'FETCH_CATALOG',
      message: expect.stringContaining('catalog.json'),
    })
  })

  test('may be a file in any form of its path, or a folder that contains one', async () => {
    folder('a')
    catalogFile(textOf({ '1.0.0': { spec: './a' } }), 'lists/catalog.json')
    fs.symlinkSync(room.at('lists'), room.at('home/lists'))
    for (const team of [
      'lists/catalog.json',
      './lists/catalog.json',
      './lists',
      '~/lists/catalog.json',
      `file://${room.at('lists/catalog.json')}`,
      room.at('lists/'),
    ]) {
      expect((await room.fetch('notes@team', { catalogs: { team } })).resolved.version, team).toBe('1.0.0')
    }
  })

  test('gives its last answer offline, for specs that are pinned and cached', async () => {
    const web = await started((request, response) =>
      request.url === '/team.json'
        ? void response.end(textOf({ '1.0.0': { spec: `${web.url}/x.tgz`, integrity: INTEGRITY } }))
        : void response.end(BYTES),
    )
    const list = makeRepository(room.at('list'))
    list.commit({ 'catalog.json': textOf({ '1.0.0': { spec: `${web.url}/x.tgz`, integrity: INTEGRITY } }) })
    for (const team of [`${web.url}/team.json`, list.url]) {
      const catalogs = { team }
      expect(await room.failure('notes@1.0.0@team', { catalogs, offline: true }), team).toMatchObject({
        code: 'FETCH_OFFLINE',
      })
      await room.fetch('notes@1.0.0@team', { catalogs })
      const asked = web.requests.length
      expect(await verified(await room.fetch('notes@1.0.0@team', { catalogs, offline: true }))).toBe(INTEGRITY)
      expect(web.requests).toHaveLength(asked)
    }
  })

  test('that was damaged in the cache is requested again, and an invalid one is not cached', async () => {
    const good = textOf({ '1.0.0': { spec: 'https://localhost:1/x.tgz' } })
    let text = good
    const web = await started((request, response) =>
      request.headers['if-none-match'] === '"1"'
        ? void response.writeHead(304).end()
        : void response.writeHead(200, text === good ? { etag: '"1"' } : {}).end(text),
    )
    const catalogs = { team: `${web.url}/team.json` }
    const versions = (offline = false) =>
      listVersions({ kind: 'catalog', id: 'notes', range: null, catalog: 'team' }, room.context({ catalogs, offline }))
    await versions()
    const [kept = ''] = fs.readdirSync(room.at('cache/catalogs')).map((name) => room.at('cache/catalogs', name))
    const bytes = fs.readFileSync(kept)
    for (const damaged of [
      bytes.subarray(0, -9),
      Buffer.from(bytes.toString().replace('1.0.0', '9.0.0')),
      Buffer.of(),
    ]) {
      fs.writeFileSync(kept, damaged)
      expect(await failureOf(versions(true))).toMatchObject({ code: 'FETCH_OFFLINE' })
      expect(await versions()).toMatchObject([{ version: '1.0.0' }])
    }
    text = '<html>Sign in</html>'
    fs.rmSync(kept)
    await failureOf(versions())
    expect(fs.existsSync(kept)).toBe(false)
  })

  test('that states no integrity is available offline by the one that the user states', async () => {
    const web = await started((request, response) =>
      request.url === '/team.json'
        ? void response.end(textOf({ '1.0.0': { spec: `${web.url}/x.tgz` } }))
        : void response.end(BYTES),
    )
    const catalogs = { team: `${web.url}/team.json` }
    await room.fetch('notes@team', { catalogs })
    expect((await room.failure('notes@team', { catalogs, offline: true })).hint).toContain('add --integrity')
    const { resolved } = await room.fetch('notes@team', { catalogs, offline: true, expectedIntegrity: INTEGRITY })
    expect(resolved.version).toBe('1.0.0')
  })

  test('is checked against policy by its name, at every host it is read from and points to', async () => {
    const web = await started((request, response) =>
      request.url === '/team.json'
        ? void response.end(textOf({ '1.0.0': { spec: `https://127.0.0.1:${web.port}/x.tgz` } }))
        : void response.end(BYTES),
    )
    const catalogs = { team: `${web.url}/team.json` }
    const seen: Contact[] = []
    await room.fetch('notes@team', { catalogs, checkPolicy: (contact) => void seen.push(contact) })
    const contact = (host: string) => ({ kind: 'host', host, catalog: 'team' })
    expect(new Set(seen.map((each) => JSON.stringify(each)))).toEqual(
      new Set([contact('localhost'), contact('127.0.0.1')].map((each) => JSON.stringify(each))),
    )
    const asked = web.requests.length
    const checkPolicy = ({ catalog }: Contact): void => {
      throw new GsdError('POLICY_REFUSED', catalog ?? '')
    }
    expect(await room.failure('notes@team', { catalogs, checkPolicy })).toMatchObject({
      code: 'POLICY_REFUSED',
      message: 'team',
    })
    expect(web.requests).toHaveLength(asked)
  })
})

describe('a catalog entry must not', () => {
  test.each([
    ['another catalog', 'notes@other'],
    ['a package by anything but its name', 'npm:https://localhost/x.tgz'],
    ['no spec at all', 'what is this'],
    ['a transport', 'ext::sh -c id'],
  ])('name: %s', async (_what, spec) => {
    const error = await room.failure('notes@team', { catalogs: catalogFile(textOf({ '1.0.0': { spec } })) })
    expect(error.code).toMatch(/^(?:FETCH_CATALOG|SPEC_)/)
    expect(error.message).toContain('team')
  })

  test('name a local path, unless it is a local file', async () => {
    folder('a')
    for (const spec of ['./a', room.at('lists/a'), `file://${room.at('lists/a')}`, './x.tgz']) {
      const web = await started((_request, response) => void response.end(textOf({ '1.0.0': { spec } })))
      const error = await room.failure('notes@team', { catalogs: { team: `${web.url}/team.json` } })
      expect(error, spec).toMatchObject({
        code: 'FETCH_CATALOG',
        message: expect.stringContaining('local path'),
      })
    }
  })

  test('be looked up by names that every object has', async () => {
    const catalogs = catalogFile(
      `{"schema":1,"capabilities":{"__proto__":{"notes":{"versions":{"1.0.0":{"spec":"./a"}}}}}}`,
    )
    expect((await room.failure('notes@team', { catalogs })).code).toMatch(/^FETCH_/)
    expect(await room.failure('constructor@team', { catalogs: catalogFile(textOf({})) })).toMatchObject({
      code: 'FETCH_NOT_FOUND',
    })
  })
})

describe('failures', () => {
  test('a catalog that is not configured is answered with the nearest one configured', async () => {
    const error = await room.failure('notes@taem', { catalogs: catalogFile(textOf({})) })
    expect(error).toMatchObject({ code: 'SPEC_UNKNOWN_CATALOG', exitStatus: 2, hint: 'did you mean team?' })
    expect((await room.failure('notes@team')).hint).toContain('"catalogs"')
  })

  test('a capability or version that is not listed is answered with those listed', async () => {
    const catalogs = catalogFile(textOf({ '1.0.0': { spec: './a' }, '1.1.0': { spec: './a' } }))
    expect(await room.failure('note@team', { catalogs })).toMatchObject({
      code: 'FETCH_NOT_FOUND',
      hint: expect.stringContaining('notes@team'),
    })
    expect(await room.failure('notes@^2@team', { catalogs })).toMatchObject({
      code: 'FETCH_NO_VERSION',
      hint: expect.stringContaining('1.1.0, 1.0.0'),
    })
  })

  test.each([
    ['', 'JSON'],
    ['{"schema":1', 'JSON'],
    ['<!doctype html><title>Sign in</title>', 'HTML'],
    ['[]', 'object'],
    ['{"capabilities":{}}', 'schema'],
    ['{"schema":2,"capabilities":{}}', 'schema'],
    ['{"schema":1}', 'capabilities'],
    ['{"schema":1,"capabilities":{"Bad Id":{"versions":{}}}}', 'Bad Id'],
    ['{"schema":1,"capabilities":{"notes":{}}}', 'versions'],
    ['{"schema":1,"capabilities":{"notes":{"versions":{"v1":{"spec":"./a"}}}}}', 'version'],
    ['{"schema":1,"capabilities":{"notes":{"versions":{"1.0.0":{}}}}}', 'spec'],
    [
      '{"schema":1,"capabilities":{"notes":{"versions":{"1.0.0":{"spec":"./a","integrity":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}}}}}',
      'sha1',
    ],
    ['{"schema":1,"capabilities":{"notes":{"versions":{"1.0.0":{"spec":"./a","engines":{"gsd":"soon"}}}}}}', 'engines'],
  ])('%s is refused, naming the fault', async (text, words) => {
    const error = await room.failure('notes@team', { catalogs: catalogFile(text) })
    expect(error).toMatchObject({ code: 'FETCH_CATALOG', exitStatus: 5 })
    expect(error.message).toContain(words)
    expect(error.message).toContain('team')
  })

  test.each([
    ['https://exa mple/x.json', 'SPEC_MALFORMED'],
    ['https://me:s3cret@localhost/x.json', 'SPEC_REFUSED'],
    ['http://example.org/x.json', 'SPEC_REFUSED'],
    ['npm:notes', 'SPEC_REFUSED'],
    ['ext::sh -c id', 'SPEC_REFUSED'],
    ['ftp://localhost/x.json', 'SPEC_REFUSED'],
  ])('an invalid address (%s) is refused', async (team, code) => {
    const error = await room.failure('notes@team', { catalogs: { team } })
    expect(error.code).toBe(code)
    expect(JSON.stringify(error)).not.toContain('s3cret')
  })

  test('a file that does not exist, or is not a file, is named', async () => {
    expect(await room.failure('notes@team', { catalogs: { team: './nowhere.json' } })).toMatchObject({
      code: 'FETCH_NOT_FOUND',
    })
    expect((await room.failure('notes@team', { catalogs: { team: './none.json' } })).hint).toContain('config.json')
    fs.mkdirSync(room.at('empty'))
    expect((await room.failure('notes@team', { catalogs: { team: './empty' } })).exitStatus).toBe(5)
  })
})
