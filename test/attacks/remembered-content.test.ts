import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { info } from '../../src/operation/info.ts'
import { outdated } from '../../src/operation/outdated.ts'
import { loadRegistryFor } from '../../src/overlay/load-registry.ts'
import { makeRepository, type Repository } from '../helpers/git.ts'
import { installIn, syncIn, updateIn } from '../helpers/operations.ts'
import { bundleFiles, refusalOf, useScratch } from '../helpers/scratch.ts'
import { startHttpServer, type TestServer } from '../helpers/servers.ts'
import { tgz } from '../helpers/tar.ts'

const scratch = useScratch()
const open: TestServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})
const started = async (listener: RequestListener): Promise<TestServer> => {
  const web = await startHttpServer(listener)
  open.push(web)
  return web
}

const CACHE = 'cache/gsd-capability'
const context = (members: Partial<Context> = {}): Context => ({ ...scratch.testContext().context, ...members })
const HTTP = { allowHttp: true }

const archive = (version: string): Buffer =>
  tgz(...Object.entries(bundleFiles('notes', { version })).map(([path, body]) => ({ path, body })))
const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Writes into a file of the cache as the program does, with a checksum in front: anybody can. */
const forge = (folder: string, change: (text: string) => string): void => {
  for (const name of fs.readdirSync(scratch.path(CACHE, folder))) {
    const file = scratch.path(CACHE, folder, name)
    const text = fs.readFileSync(file, 'utf8')
    const content = change(text.slice(text.indexOf('\n') + 1))
    fs.writeFileSync(file, `${createHash('sha512').update(content).digest('hex')}\n${content}`)
  }
}

describe('a remembered catalog', () => {
  let web: TestServer
  let statuses: number[]
  const [good, evil] = [archive('1.0.0'), archive('6.6.6')]
  beforeEach(async () => {
    statuses = []
    web = await started((request, response) => {
      if (request.url === '/evil.tgz') return void response.end(evil)
      if (request.url === '/good.tgz') return void response.end(good)
      const status = request.headers['if-none-match'] === '"1"' ? 304 : 200
      statuses.push(status)
      response.writeHead(status, { etag: '"1"' })
      const versions = { '1.0.0': { spec: `${web.url}/good.tgz`, integrity: integrityOf(good) } }
      response.end(status === 304 ? '' : JSON.stringify({ schema: 1, capabilities: { notes: { versions } } }))
    })
    scratch.put(
      'home/.gsd/config.json',
      JSON.stringify({ schema: 1, catalogs: { team: `${web.url}/team.json` } }),
      0o600,
    )
  })
  const toEvil = (text: string): string =>
    text
      .replaceAll('good.tgz', 'evil.tgz')
      .replaceAll('1.0.0', '6.6.6')
      .replaceAll(integrityOf(good), integrityOf(evil))

  test('is believed after a 304 where its hash is recorded, and asked for anew where it was rewritten', async () => {
    await installIn(context(), 'notes@team', HTTP)
    expect(fs.statSync(scratch.path('home/.gsd/catalogs.json')).mode & 0o777).toBe(0o600)
    expect((await outdated(context(), { scope: null, ...HTTP })).rows).toMatchObject([{ status: 'current' }])
    expect(statuses).toEqual([200, 304])
    forge('catalogs', toEvil)
    expect((await outdated(context(), { scope: null, ...HTTP })).rows).toMatchObject([{ status: 'current' }])
    expect(statuses).toEqual([200, 304, 200])
    forge('catalogs', toEvil)
    for (const scope of ['global', 'project'] as const) {
      const answer = await installIn(context(), 'notes@team', { ...HTTP, scope })
      expect(JSON.stringify(answer)).not.toContain('6.6.6')
    }
    forge('catalogs', toEvil)
    expect(JSON.stringify(await updateIn(context(), ['notes'], HTTP))).not.toContain('6.6.6')
  })

  test('is not confirmed by what commands record that write nothing', async () => {
    await info(context(), { target: 'notes@team', scope: null, ...HTTP }).catch(() => undefined)
    await installIn(context(), 'notes@team', { ...HTTP, dryRun: true })
    expect(fs.readdirSync(scratch.path('home/.gsd'))).toEqual(['config.json'])
    forge('catalogs', toEvil)
    expect(JSON.stringify(await installIn(context(), 'notes@team', HTTP))).not.toContain('6.6.6')
  })

  test('with other validators than were received is not confirmed', async () => {
    await installIn(context(), 'notes@team', HTTP)
    forge('catalogs', (text) => text.replace('\\"1\\"', '\\"2\\"'))
    await outdated(context(), { scope: null, ...HTTP })
    expect(statuses).toEqual([200, 200])
  })

  test('is used offline for what the ledger confirms, and for nothing else', async () => {
    await installIn(context(), 'notes@team', HTTP)
    const offline = context({ offline: true })
    expect((await refusalOf(() => installIn(offline, 'notes@team', { ...HTTP, scope: 'project' }))).code).toBe(
      'FETCH_OFFLINE',
    )
    fs.rmSync(scratch.path('home/.gsd/capabilities/notes'), { recursive: true })
    expect((await syncIn(context({ offline: true }), HTTP)).restored).toMatchObject([{ id: 'notes' }])
    await installIn(context(), `${web.url}/evil.tgz`, { ...HTTP, scope: 'project' })
    forge('catalogs', toEvil)
    for (const run of [
      () => installIn(context({ offline: true }), 'notes@team', HTTP),
      () => updateIn(context({ offline: true }), ['notes'], HTTP),
    ]) {
      const answer = await refusalOf(run).catch(() => null)
      expect(answer?.code ?? 'FETCH_OFFLINE').toBe('FETCH_OFFLINE')
    }
    expect(scratch.text('home/.gsd/ledger.json')).not.toContain('6.6.6')
  })
})

describe('a remembered tag', () => {
  let repo: Repository
  let evil: string
  beforeEach(() => {
    repo = makeRepository(scratch.path('repo.git'))
    repo.commit(bundleFiles('notes', { version: '6.6.6' }))
    evil = repo.git('rev-parse', 'HEAD')
    repo.commit(bundleFiles('notes', { version: '1.0.0' }))
    repo.tag('v1.0.0')
  })
  const spec = (ref: string): string => `git+file://${encodeURI(repo.dir)}${ref}`

  test('that was changed to another commit in the cache is not installed offline', async () => {
    await installIn(context(), spec('#v1.0.0'))
    await installIn(context(), spec(`#sha:${evil}`), { scope: 'project' })
    const [url = ''] = fs.readdirSync(scratch.path(CACHE, 'git'))
    const refs = scratch.path(CACHE, 'git', url, 'refs')
    const text = `${evil}\trefs/tags/v1.0.0\n${evil}\trefs/tags/v1.0.0^{}\n`
    fs.writeFileSync(refs, `${createHash('sha512').update(text).digest('hex')}\n${text}`)
    const offline = context({ offline: true })
    const error = await refusalOf(() => installIn(offline, spec('#v1.0.0')))
    expect(error).toMatchObject({ code: 'FETCH_OFFLINE', exitStatus: 5 })
    expect(error.hint).toContain('#sha:')
    expect(scratch.text('home/.gsd/ledger.json')).not.toContain('6.6.6')
    // What is recorded as installed in the project is that content, so there it is confirmed.
    await installIn(context({ offline: true }), spec(`#sha:${evil}`), { scope: 'project' })
  })

  test('is used offline where the ledger records its content', async () => {
    await installIn(context(), spec('#v1.0.0'))
    expect((await installIn(context({ offline: true }), spec('#v1.0.0'))).unchanged).toEqual(['notes'])
    expect(
      (await refusalOf(() => installIn(context({ offline: true }), spec('#v1.0.0'), { scope: 'project' }))).code,
    ).toBe('FETCH_OFFLINE')
  })
})

describe('a snapshot that was edited in the cache', () => {
  test('decides about no change: operations read the bundles themselves', async () => {
    for (const at of Array.from({ length: 80 }, (_, index) => index))
      scratch.bundle(`cap-${at}`, { to: `bundles/cap-${at}` })
    const bundles = Array.from({ length: 80 }, (_, at) => scratch.path(`bundles/cap-${at}`))
    await installIn(context(), bundles)
    await loadRegistryFor(context({ now: () => Date.now() + 3_600_000 }), { usesSnapshot: true })
    const [name = ''] = fs.readdirSync(scratch.path(CACHE, 'registry'))
    const file = scratch.path(CACHE, 'registry', name)
    const forged = fs.readFileSync(file, 'latin1').replaceAll('cap-7"', 'bad-7"')
    fs.writeFileSync(file, forged, 'latin1')
    const late = context({ now: () => Date.now() + 3_600_000 })
    expect((await loadRegistryFor(late)).rows.map(({ id }) => id)).not.toContain('bad-7')
    scratch.bundle('bad-7')
    expect((await installIn(context(), scratch.path('bundles/bad-7'))).installed).toMatchObject([{ id: 'bad-7' }])
  })
})
