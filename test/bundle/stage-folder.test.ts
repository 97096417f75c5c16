import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleDigest } from '../../src/bundle/digest.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { asNobody } from '../helpers/as-nobody.ts'
import { modesBelow, pathsOf, useBundleFixture } from '../helpers/bundle-fixture.ts'
import { tgz } from '../helpers/tar.ts'

const room = useBundleFixture()
const FILES = { 'capability.json': '{"id":"demo"}', 'docs/a.md': 'text', 'hooks/run.sh': '#!/bin/sh\n' }

test('a folder is copied byte for byte, with plain modes and without its times', async () => {
  const source = room.folder('cap', FILES)
  fs.chmodSync(join(source, 'hooks/run.sh'), 0o4775)
  fs.chmodSync(join(source, 'docs/a.md'), 0o666)
  fs.chmodSync(join(source, 'docs'), 0o700)
  fs.utimesSync(join(source, 'docs/a.md'), 1, 1)
  const { dir, files } = await room.stageFolder(source)
  expect(modesBelow(dir)).toEqual(['capability.json 644', 'docs 755', 'docs/a.md 644', 'hooks 755', 'hooks/run.sh 755'])
  expect(pathsOf(files)).toEqual(['capability.json', 'docs/a.md', 'hooks/run.sh'])
  expect(fs.readFileSync(join(dir, 'docs/a.md'), 'utf8')).toBe('text')
  expect(fs.statSync(join(dir, 'docs/a.md')).mtimeMs).toBeGreaterThan(1_000_000)
})

test('a folder and an archive of it have the same digest', async () => {
  const folder = await room.stageFolder(room.folder('cap', FILES))
  const archive = await room.stageArchive(
    tgz(...Object.entries(FILES).map(([path, body]) => ({ path: `top/${path}`, body }))),
  )
  expect(bundleDigest(folder.files, folder.manifest)).toBe(bundleDigest(archive.files, archive.manifest))
})

test('.git, node_modules and .DS_Store are skipped, even as links or files, and however large', async () => {
  const source = room.folder('cap', {
    ...FILES,
    '.git/config': 'x',
    'docs/.DS_Store': 'x',
    'hooks/.git': 'gitdir: elsewhere',
  })
  fs.symlinkSync('/nowhere', join(source, 'node_modules'))
  fs.mkdirSync(join(source, 'docs/node_modules/.bin'), { recursive: true })
  fs.symlinkSync('../x', join(source, 'docs/node_modules/.bin/x'))
  const { dir, notes } = await room.stageFolder(source)
  expect(modesBelow(dir)).toHaveLength(5)
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain('node_modules')
})

test.each([
  ['a link to a file', 'symbolic-link', (path: string) => fs.symlinkSync('a.md', path)],
  ['a link to a folder', 'symbolic-link', (path: string) => fs.symlinkSync('/etc', path)],
  ['a link to nowhere', 'symbolic-link', (path: string) => fs.symlinkSync('/nowhere', path)],
  ['a link to itself', 'symbolic-link', (path: string) => fs.symlinkSync(path, path)],
  ['a FIFO', 'fifo', (path: string) => void execFileSync('mkfifo', [path])],
])('%s in a folder is refused and never opened', async (_what, rule, make) => {
  const source = room.folder('cap', FILES)
  make(join(source, 'docs/z'))
  const error = await room.refusalOf(room.stageFolder(source))
  expect(error.code).toBe('ARCHIVE_UNSAFE')
  expect(error.details).toEqual({ rule, entry: 'docs/z' })
})

test('a socket in a folder is refused', async () => {
  const source = room.folder('cap', FILES)
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(join(source, 'socket'), resolve))
  const error = await room.refusalOf(room.stageFolder(source))
  server.close()
  expect(error.details).toEqual({ rule: 'socket', entry: 'socket' })
})

test.each(['capability.json as a link', 'capability.json as a FIFO'])('%s is refused by name', async (what) => {
  const source = room.folder('cap', { 'docs/a.md': 'text' })
  if (what.endsWith('FIFO')) execFileSync('mkfifo', [join(source, 'capability.json')])
  else fs.symlinkSync('/etc/hostname', join(source, 'capability.json'))
  expect((await room.refusalOf(room.stageFolder(source))).details).toMatchObject({ entry: 'capability.json' })
})

test.each([
  ['a backslash', 'a\\b.md', 'backslash'],
  ['a line break', 'a\nb.md', 'control-character'],
  ['a dot at its end', 'a.', 'trailing-dot-or-blank'],
  ['a device name', 'NUL.md', 'device-name'],
])('a file with %s in its name is refused in a folder too', async (_what, name, rule) => {
  const source = room.folder('cap', { ...FILES, [name]: 'x' })
  expect((await room.refusalOf(room.stageFolder(source))).details).toEqual({ rule, entry: name })
})

test('a name that is not UTF-8 is refused', async () => {
  const source = room.folder('cap', FILES)
  fs.writeFileSync(Buffer.concat([Buffer.from(`${source}/a`), Buffer.from([0xff])]), 'x')
  expect((await room.refusalOf(room.stageFolder(source))).details).toMatchObject({ rule: 'not-unicode' })
})

test('the limits apply to a folder: a large file and too many entries', async () => {
  const source = room.folder('cap', FILES)
  fs.truncateSync(join(source, 'docs/a.md'), 64 * 1024 * 1024 + 1)
  expect((await room.refusalOf(room.stageFolder(source))).details).toEqual({ rule: 'file', entry: 'docs/a.md' })
  fs.truncateSync(join(source, 'docs/a.md'), 0)
  fs.mkdirSync(join(source, 'many'))
  for (let at = 0; at < 10_001; at++) fs.writeFileSync(join(source, 'many', String(at)), '')
  expect((await room.refusalOf(room.stageFolder(source))).details).toEqual({ rule: 'entries' })
})

test('a folder and a file without read permission are reported as such', async () => {
  const source = room.folder('cap', FILES)
  fs.chmodSync(room.dir, 0o777)
  for (const path of ['docs', 'docs/a.md']) {
    fs.chmodSync(join(source, 'docs'), 0o755)
    fs.chmodSync(join(source, path), 0)
    const disk: Disk = {
      ...realDisk,
      openSync: (...args) => asNobody(() => realDisk.openSync(...args)),
      readdirSync: (...args) => asNobody(() => realDisk.readdirSync(...args)),
      mkdirSync: (...args) => asNobody(() => realDisk.mkdirSync(...args)),
    }
    const error = await room.refusalOf(room.stageFolder(source, { disk }))
    expect(error.code).toBe('FETCH_UNREADABLE')
    expect(error.message).toContain(path)
  }
  fs.chmodSync(join(source, 'docs'), 0o755)
})

/** A disk that runs a callback just before a file is opened for reading. */
const beforeOpening = (file: string, happen: () => void): Disk => ({
  ...realDisk,
  openSync(path, flags, mode) {
    if (path === file) happen()
    return realDisk.openSync(path, flags, mode)
  },
})

test.each([
  ['vanishes', (path: string) => fs.rmSync(path)],
  ['becomes a link', (path: string) => (fs.rmSync(path), fs.symlinkSync('/etc/hostname', path))],
  ['becomes a FIFO', (path: string) => (fs.rmSync(path), void execFileSync('mkfifo', [path]))],
  [
    'becomes another file',
    (path: string) => (fs.writeFileSync(`${path}.new`, 'evil'), fs.renameSync(`${path}.new`, path)),
  ],
  ['grows', (path: string) => fs.appendFileSync(path, 'more')],
  ['shrinks', (path: string) => fs.truncateSync(path, 1)],
])('a file that %s between the check and the read is refused, and nothing hangs', async (_what, change) => {
  const source = room.folder('cap', FILES)
  const file = join(source, 'docs/a.md')
  const error = await room.refusalOf(room.stageFolder(source, { disk: beforeOpening(file, () => change(file)) }))
  expect(error.code).toBe('FETCH_UNREADABLE')
  expect(error.message).toContain('changed while it was read')
})

test('a folder that becomes a link between the check and the read is refused', async () => {
  const source = room.folder('cap', FILES)
  const outside = room.folder('elsewhere', { 'a.md': 'text' })
  const file = join(source, 'docs/a.md')
  const swap = (): void => {
    fs.rmSync(join(source, 'docs'), { recursive: true })
    fs.symlinkSync(outside, join(source, 'docs'))
  }
  expect((await room.refusalOf(room.stageFolder(source, { disk: beforeOpening(file, swap) }))).code).toBe(
    'FETCH_UNREADABLE',
  )
})

test('a source that does not exist, or is a file, is reported as such', async () => {
  expect((await room.refusalOf(room.stageFolder('/nowhere/at/all'))).code).toBe('FETCH_NOT_FOUND')
  expect((await room.refusalOf(room.stageFolder(join(room.folder('cap', FILES), 'docs/a.md')))).code).toBe(
    'FETCH_UNREADABLE',
  )
})

test('the source folder may be reached through a link', async () => {
  const source = room.folder('cap', FILES)
  fs.symlinkSync(source, room.path('source', 'link'))
  expect((await room.stageFolder(room.path('source', 'link'))).files).toHaveLength(3)
})

test('only the part of a folder that is the bundle is read', async () => {
  const source = room.folder('repo', { 'capabilities/demo/capability.json': '{}', 'README.md': 'x' })
  fs.symlinkSync('/nowhere', join(source, 'latest'))
  expect(pathsOf((await room.stageFolder(source)).files)).toEqual(['capability.json'])
})

test('the source is not changed', async () => {
  const source = room.folder('cap', FILES)
  const before = modesBelow(source)
  await room.stageFolder(source)
  expect(modesBelow(source)).toEqual(before)
})

test('a file that vanishes while its folder is listed is reported, not skipped', async () => {
  const source = room.folder('cap', FILES)
  const disk: Disk = {
    ...realDisk,
    readdirSync(path) {
      const names = realDisk.readdirSync(path)
      if (path === join(source, 'docs')) fs.rmSync(join(source, 'docs/a.md'))
      return names
    },
  }
  expect((await room.refusalOf(room.stageFolder(source, { disk }))).message).toContain('changed while it was read')
})

test('a source folder that cannot be listed is not treated as one without a bundle', async () => {
  const source = room.folder('cap', { 'a.md': 'x' })
  fs.chmodSync(room.dir, 0o755)
  fs.chmodSync(source, 0)
  const disk: Disk = {
    ...realDisk,
    lstatSync: (path) => asNobody(() => realDisk.lstatSync(path)),
    readdirSync: (path) => asNobody(() => realDisk.readdirSync(path)),
  }
  const error = await room.refusalOf(room.stageFolder(source, { disk }))
  fs.chmodSync(source, 0o755)
  expect(error.code).toBe('FETCH_UNREADABLE')
})
