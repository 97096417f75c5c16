import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { MAX_ARCHIVE_BYTES } from '../../src/fetch/cache/artifacts.ts'
import { fetchSpec } from '../../src/fetch/fetch-spec.ts'
import type { FetchResult } from '../../src/fetch/fetcher.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import { asNobody } from '../helpers/as-nobody.ts'

let dir: string
beforeEach(() => {
  dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'gsd-fetch-')))
  fs.mkdirSync(join(dir, 'home'))
  fs.mkdirSync(join(dir, 'cap'))
  fs.writeFileSync(join(dir, 'cap.tgz'), 'anything')
})
afterEach(() => {
  fs.rmSync(dir, { recursive: true, force: true })
})

const fetchText = (text: string, options: { roots?: readonly string[]; disk?: Disk } = {}): Promise<FetchResult> => {
  const home = join(dir, 'home')
  const { roots: scopeRoots = [join(home, '.gsd')], disk = realDisk } = options
  return fetchSpec(parseSpec(text, { cwd: dir, home }), {
    disk,
    home,
    scopeRoots,
    signal: new AbortController().signal,
    env: {},
    cache: join(dir, 'cache'),
    offline: true,
    fetchTimeout: 600_000,
    catalogHashes: { has: () => false, add: () => undefined },
    allowHttp: false,
    checkPolicy: null,
    config: () => ({ auth: new Map(), catalogs: new Map(), folder: dir }),
    report: () => {},
    expectedIntegrity: null,
    viaCatalog: null,
    pinnedCommit: null,
    loadedCatalogs: new Map(),
  })
}

const failure = async (text: string, options = {}): Promise<GsdError> => {
  try {
    await fetchText(text, options)
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
  throw new Error(`${text} was fetched`)
}

test('a folder is used in place, by its real path', async () => {
  fs.symlinkSync(join(dir, 'cap'), join(dir, 'link'))
  for (const text of ['./cap', './link', 'file://' + join(dir, 'cap')]) {
    expect(await fetchText(text)).toEqual({
      source: { kind: 'folder', dir: join(dir, 'cap') },
      path: null,
      resolved: { kind: 'local' },
      statedIntegrities: [],
      notes: [],
    })
  }
})

test('an archive is used in place, by its real path', async () => {
  fs.symlinkSync('cap.tgz', join(dir, 'link.tgz'))
  for (const text of ['./cap.tgz', 'cap.tgz', './link.tgz']) {
    expect(await fetchText(text)).toEqual({
      source: { kind: 'archive', file: join(dir, 'cap.tgz') },
      path: null,
      resolved: { kind: 'tarball' },
      statedIntegrities: [],
      notes: [],
    })
  }
})

test('the ledger spec contains no folder of this machine', async () => {
  for (const text of ['./cap', './cap.tgz']) expect(JSON.stringify((await fetchText(text)).resolved)).not.toContain('/')
})

test('a source that does not exist is named, with the nearest name that does', async () => {
  expect((await failure('./cpa')).toJSON()).toMatchObject({
    code: 'FETCH_NOT_FOUND',
    message: `${JSON.stringify(join(dir, 'cpa'))} does not exist`,
    hint: `did you mean ${join(dir, 'cap')}?`,
  })
  expect(await failure('./cap.tar.gz')).toMatchObject({ code: 'FETCH_NOT_FOUND' })
  expect(await failure('./no/such/folder')).toMatchObject({
    code: 'FETCH_NOT_FOUND',
    hint: expect.stringContaining('check the path'),
  })
  expect(await failure('./cap.tgz/x')).toMatchObject({ code: 'FETCH_NOT_FOUND' })
})

test('a ref after a folder is explained', async () => {
  expect((await failure('./cap#v1')).hint).toBe(
    `a folder or file has no refs; for the repository in it use git+file://${dir}/cap#v1`,
  )
})

test('a file instead of a folder and a folder instead of an archive are refused, each with the right form', async () => {
  fs.writeFileSync(join(dir, 'cap.zip'), '')
  fs.mkdirSync(join(dir, 'dir.tgz'))
  expect(await failure('./cap.zip')).toMatchObject({ code: 'FETCH_UNREADABLE', hint: expect.stringContaining('.tgz') })
  expect(await failure('./cap.tgz/')).toMatchObject({ code: 'FETCH_UNREADABLE' })
  expect(await failure('./dir.tgz')).toMatchObject({
    code: 'FETCH_UNREADABLE',
    hint: expect.stringContaining(`${dir}/dir.tgz/`),
  })
  expect((await fetchText('./dir.tgz/')).source).toEqual({ kind: 'folder', dir: join(dir, 'dir.tgz') })
})

test('circular links are refused', async () => {
  fs.symlinkSync('b', join(dir, 'a'))
  fs.symlinkSync('a', join(dir, 'b'))
  fs.symlinkSync('l.tgz', join(dir, 'l.tgz'))
  expect(await failure('./a')).toMatchObject({ code: 'FETCH_UNREADABLE' })
  expect(await failure('./l.tgz')).toMatchObject({ code: 'FETCH_UNREADABLE' })
})

test('a FIFO, device or socket instead of an archive or folder is refused without being opened', async () => {
  execFileSync('mkfifo', [join(dir, 'fifo.tgz'), join(dir, 'fifo')])
  fs.symlinkSync('/dev/zero', join(dir, 'zero.tgz'))
  const server = createServer().listen(join(dir, 'socket.tgz'))
  await new Promise((resolve) => server.once('listening', resolve))
  const opened: string[] = []
  const disk: Disk = { ...realDisk, openSync: (path, flags) => (opened.push(path), realDisk.openSync(path, flags)) }
  for (const name of ['fifo.tgz', 'zero.tgz', 'socket.tgz', 'fifo']) {
    expect(await failure(`./${name}`, { disk }), name).toMatchObject({ code: 'FETCH_UNREADABLE', exitStatus: 5 })
  }
  expect(opened).toEqual([])
  await new Promise((resolve) => server.close(resolve))
})

test('an archive over the size limit is refused by its size alone', async () => {
  fs.truncateSync(join(dir, 'cap.tgz'), MAX_ARCHIVE_BYTES)
  await fetchText('./cap.tgz')
  fs.truncateSync(join(dir, 'cap.tgz'), MAX_ARCHIVE_BYTES + 1)
  expect(await failure('./cap.tgz')).toMatchObject({ code: 'ARCHIVE_TOO_LARGE', exitStatus: 3 })
})

test("a source that is inside the scope's .gsd, is it, or contains it is refused", async () => {
  const gsd = join(dir, 'home/.gsd')
  expect(await failure('./home')).toMatchObject({
    code: 'FETCH_OVERLAPS_SCOPE',
    exitStatus: 3,
    message: expect.stringContaining('contains'),
  })
  expect(await failure('/')).toMatchObject({ code: 'FETCH_OVERLAPS_SCOPE' })
  fs.mkdirSync(join(gsd, 'capabilities/notes'), { recursive: true })
  fs.writeFileSync(join(gsd, 'x.tgz'), '')
  fs.symlinkSync(join(gsd, 'capabilities'), join(dir, 'link'))
  for (const text of ['./home', '.', '~', '~/.gsd', '~/.gsd/capabilities/notes', './link/notes', './home/.gsd/x.tgz']) {
    expect(await failure(text), text).toMatchObject({ code: 'FETCH_OVERLAPS_SCOPE' })
  }
})

test('a folder next to the .gsd, or with a name that begins the same, is accepted', async () => {
  fs.mkdirSync(join(dir, 'home/.gsd'))
  fs.mkdirSync(join(dir, 'home/.gsd-notes'))
  fs.mkdirSync(join(dir, 'home/notes'))
  for (const text of ['./home/.gsd-notes', './home/notes', './cap']) await fetchText(text)
})

test('one folder under two names is one folder', async () => {
  const gsd = join(dir, 'home/.gsd')
  fs.mkdirSync(join(gsd, 'capabilities'), { recursive: true })
  const other = join(dir, 'HOME/.GSD/capabilities')
  const ignoringCase: Disk = {
    ...realDisk,
    realpathSync: (path) => path,
    statSync: (path) => realDisk.statSync(path.replace(/HOME/, 'home').replace(/\.GSD/, '.gsd')),
    readdirSync: () => [],
  }
  expect(await failure(other, { disk: ignoringCase })).toMatchObject({ code: 'FETCH_OVERLAPS_SCOPE' })
})

test('a source without read permission is refused with that reason', async () => {
  fs.chmodSync(dir, 0o755)
  fs.chmodSync(join(dir, 'cap.tgz'), 0o000)
  fs.chmodSync(join(dir, 'cap'), 0o000)
  for (const text of ['./cap', './cap.tgz']) {
    const error = await asNobody(() => failure(text))
    expect(error).toMatchObject({ code: 'FETCH_UNREADABLE', message: expect.stringContaining('permission denied') })
  }
})
