import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { list } from 'tar'
import { expect, test } from 'vitest'
import { bundleDigest } from '../../../src/bundle/digest.ts'
import { packBundle, type PackOptions } from '../../../src/bundle/pack/pack-bundle.ts'
import { stageBundle } from '../../../src/bundle/stage-bundle.ts'
import type { Disk } from '../../../src/platform/disk.ts'
import { realDisk } from '../../../src/platform/disk.ts'
import { pathsOf, useBundleFixture } from '../../helpers/bundle-fixture.ts'

const room = useBundleFixture()
const MANIFEST =
  '{\n  "id": "demo",\n  "version": "1.2.3",\n  "hooks": [{ "event": "Stop", "script": "hooks/run.sh" }]\n}\n'
const LONG = `docs/${'n'.repeat(150)}/${'m'.repeat(120)}.md`
const FILES = {
  'capability.json': MANIFEST,
  'hooks/run.sh': '#!/bin/sh\n',
  'docs/\u00e9.md': 'e',
  [LONG]: 'long',
  'a.md': '',
}

const pack = (dir: string, options: Partial<PackOptions> = {}) =>
  packBundle(dir, { disk: realDisk, cwd: room.dir, ...options })
const stage = (file: string) => stageBundle({ kind: 'archive', file }, { disk: realDisk, into: room.path('staged') })

test('an archive is named by id and version, and its integrity is the hash of its bytes', async () => {
  const packed = await pack(room.folder('cap', FILES))
  expect(packed.file).toBe(room.path('demo-1.2.3.tgz'))
  const bytes = fs.readFileSync(packed.file)
  expect(packed.integrity).toBe(`sha512-${createHash('sha512').update(bytes).digest('base64')}`)
  expect(packed.size).toBe(bytes.length)
  expect(fs.readdirSync(room.dir).toSorted()).toEqual(['demo-1.2.3.tgz', 'source'])
})

test('without out and cwd the archive is written next to the folder', async () => {
  const dir = room.folder('cap', FILES)
  expect((await packBundle(dir, { disk: realDisk })).file).toBe(join(dir, '..', 'demo-1.2.3.tgz'))
})

test('unpacking gives a tree with the same digest and executable hooks', async () => {
  const dir = room.folder('cap', FILES)
  const packed = await pack(dir)
  const folder = await room.stageFolder(dir)
  const staged = await stage(packed.file)
  expect(staged.files).toEqual(folder.files)
  expect(staged.files).toEqual(packed.files)
  expect(packed.digest).toBe(bundleDigest(folder.files, folder.manifest))
  expect(packed.digest).toBe(bundleDigest(staged.files, staged.manifest))
  expect(staged.files.find((file) => file.path === 'hooks/run.sh')?.executable).toBe(true)
})

test('the same bundle gives the same bytes, wherever and whenever it is packed', async () => {
  const one = room.folder('one', FILES)
  const two = room.folder('two', Object.fromEntries(Object.entries(FILES).toReversed()))
  fs.chmodSync(join(two, 'a.md'), 0o600)
  fs.utimesSync(join(two, 'a.md'), 5, 5)
  const slow: Disk = {
    ...realDisk,
    readSync: (fd, buffer, offset, length, at) => realDisk.readSync(fd, buffer, offset, Math.min(length, 7), at),
  }
  const first = await pack(one, { out: room.path('1.tgz') })
  const second = await pack(two, { out: room.path('2.tgz'), disk: slow })
  expect(fs.readFileSync(second.file)).toEqual(fs.readFileSync(first.file))
})

test('the bytes of an archive are pinned: a change of the packer fails here', async () => {
  const { integrity } = await pack(room.folder('cap', FILES))
  expect(integrity).toBe(
    'sha512-IWLzHzIXFYvbFBjOgkMUPfu9BCML8Lp8nEddClcHLjvqTUnEOyznXrfaCEj8rpkZEacdzKd2gCRcSbzWMj01qA==',
  )
})

test('an archive contains no owner, time or system of the machine', async () => {
  const packed = await pack(room.folder('cap', FILES))
  expect([...fs.readFileSync(packed.file).subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3])
  const entries: string[] = []
  await list({
    file: packed.file,
    strict: true,
    onReadEntry: (entry) => {
      entries.push(
        `${entry.path} ${entry.type} ${entry.mode?.toString(8)} ${entry.uid}:${entry.gid}${entry.uname} ${entry.mtime?.toISOString()}`,
      )
    },
  })
  expect(entries).toEqual([
    'capability.json File 644 0:0 1985-10-26T08:15:00.000Z',
    'a.md File 644 0:0 1985-10-26T08:15:00.000Z',
    `${LONG} File 644 0:0 1985-10-26T08:15:00.000Z`,
    'docs/\u00e9.md File 644 0:0 1985-10-26T08:15:00.000Z',
    'hooks/run.sh File 755 0:0 1985-10-26T08:15:00.000Z',
  ])
})

test('paths at every limit of the header fields are unpacked unchanged', async () => {
  const names = [99, 100, 101, 155, 156, 157, 200, 255, 256, 257, 258].map((length) => {
    const segments = 'abcdefghi/'.repeat(Math.floor(length / 10))
    return segments + 'x'.repeat(length - segments.length || 1)
  })
  const odd = [
    'a -> b.md',
    "it's.md",
    '100%.md',
    '-rf.md',
    ' blank.md',
    '\u{1f600}.md',
    'n'.repeat(255),
    `${'p/'.repeat(80)}x`,
  ]
  const files = Object.fromEntries([...names, ...odd].map((path) => [path, path]))
  const dir = room.folder('cap', { ...files, 'capability.json': MANIFEST })
  const packed = await pack(dir)
  expect((await stage(packed.file)).files).toEqual((await room.stageFolder(dir)).files)
})

test('writing the integrity changes only that value of the manifest, and it is the digest', async () => {
  const dir = room.folder('cap', FILES)
  const packed = await pack(dir, { writeIntegrity: true })
  const expected = MANIFEST.replace('"hooks/run.sh" }]\n', `"hooks/run.sh" }],\n  "integrity": "${packed.digest}"\n`)
  expect(fs.readFileSync(join(dir, 'capability.json'), 'utf8')).toBe(expected)
  expect(packed.declared).toBe(packed.digest)
  const staged = await stage(packed.file)
  expect(Buffer.from(staged.manifest).toString()).toBe(expected)
  expect(bundleDigest(staged.files, staged.manifest)).toBe(packed.digest)
})

test('writing the same integrity again changes nothing, not even the time of the file', async () => {
  const dir = room.folder('cap', FILES)
  const first = await pack(dir, { writeIntegrity: true })
  fs.utimesSync(join(dir, 'capability.json'), 5, 5)
  const second = await pack(dir, { writeIntegrity: true, out: room.path('2.tgz') })
  expect(second.integrity).toBe(first.integrity)
  expect(fs.statSync(join(dir, 'capability.json')).mtimeMs).toBe(5000)
})

test('an outdated integrity is reported, and corrected on request', async () => {
  const stale = MANIFEST.replace('\n}', ',\n  "integrity": "sha512-old"\n}')
  const dir = room.folder('cap', { ...FILES, 'capability.json': stale })
  const packed = await pack(dir)
  expect(packed.declared).toBe('sha512-old')
  expect(packed.declared).not.toBe(packed.digest)
  const corrected = await pack(dir, { writeIntegrity: true })
  expect([corrected.declared, corrected.digest]).toEqual([packed.digest, packed.digest])
})

test('the archive is not packed into itself, however it is named', async () => {
  const dir = room.folder('cap', FILES)
  fs.symlinkSync(dir, room.path('source', 'alias'))
  const targets = [join(dir, 'out.tgz'), join(dir, 'docs', 'out.tgz'), room.path('source', 'alias', 'out.tgz')]
  const sizes = new Set<string>()
  for (const out of targets) {
    for (let times = 0; times < 2; times++) {
      const packed = await pack(dir, { out })
      expect(pathsOf(packed.files)).toHaveLength(5)
      sizes.add(packed.integrity)
    }
    fs.rmSync(out)
  }
  expect(sizes.size).toBe(1)
})

test('an older archive is replaced, and kept when packing fails', async () => {
  const dir = room.folder('cap', FILES)
  const out = room.path('out.tgz')
  fs.writeFileSync(out, 'older')
  fs.symlinkSync('/etc', join(dir, 'link'))
  expect(await pack(dir, { out }).catch((error: unknown) => error)).toMatchObject({ code: 'ARCHIVE_UNSAFE' })
  expect(fs.readFileSync(out, 'utf8')).toBe('older')
  fs.rmSync(join(dir, 'link'))
  await pack(dir, { out })
  expect(gunzipSync(fs.readFileSync(out)).length).toBeGreaterThan(1024)
})

test.each([
  ['a folder', (out: string) => fs.mkdirSync(out)],
  ['a link', (out: string) => fs.symlinkSync('/nowhere', out)],
  ['a FIFO', (out: string) => void execFileSync('mkfifo', [out])],
])('%s at the path of the archive is not changed', async (_what, make) => {
  const out = room.path('out.tgz')
  make(out)
  const before = fs.lstatSync(out).ino
  expect(await pack(room.folder('cap', FILES), { out }).catch((error: unknown) => error)).toMatchObject({
    code: 'STATE_NOT_A_FILE',
  })
  expect(fs.lstatSync(out).ino).toBe(before)
})

test.each([
  ['not JSON', '{"id": "demo",}'],
  ['a list', '[]'],
  ['a text', '"demo"'],
  ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['longer than 1 MiB', `{"id":"${'x'.repeat(1024 * 1024)}"}`],
  ['without id and version', '{}'],
  ['with an id that leads out of the folder', '{"id":"../x","version":"1.0.0"}'],
  ['with a version that leads out of the folder', '{"id":"x","version":"../1"}'],
])('a manifest that is %s is not packed', async (_what, manifest) => {
  const dir = room.folder('cap', { 'capability.json': manifest })
  expect((await room.refusalOf(pack(dir, { writeIntegrity: true }))).code).toBe('VALIDATION_FAILED')
  expect(fs.readFileSync(join(dir, 'capability.json'))).toEqual(Buffer.from(manifest))
})

test.each(['7', 'null', '"a","integrity":"b"'])('an integrity that is %s is not overwritten', async (value) => {
  const manifest = `{"id":"demo","version":"1.0.0","integrity":${value}}`
  const dir = room.folder('cap', { 'capability.json': manifest })
  expect((await room.refusalOf(pack(dir, { writeIntegrity: true }))).code).toBe('VALIDATION_FAILED')
})

test('a folder without a manifest, or with one that is a link or a FIFO, is not packed', async () => {
  expect((await room.refusalOf(pack(room.folder('one', { 'a.md': 'x' })))).code).toBe('ARCHIVE_NO_BUNDLE')
  fs.symlinkSync('/etc/hostname', join(room.folder('two', { 'a.md': 'x' }), 'capability.json'))
  expect((await room.refusalOf(pack(room.path('source', 'two')))).code).toBe('ARCHIVE_UNSAFE')
  execFileSync('mkfifo', [join(room.folder('three', { 'a.md': 'x' }), 'capability.json')])
  expect((await room.refusalOf(pack(room.path('source', 'three')))).code).toBe('ARCHIVE_UNSAFE')
})

test('a folder that does not exist, to pack or for the archive, is reported', async () => {
  expect((await room.refusalOf(pack(room.path('nowhere')))).code).toBe('FETCH_NOT_FOUND')
  const error = await room.refusalOf(pack(room.folder('cap', FILES), { out: room.path('nowhere', 'out.tgz') }))
  expect(error.code).toBe('USAGE_BAD_VALUE')
})

test('a bundle that an install would refuse for its ratio is not packed', async () => {
  const dir = room.folder('cap', { ...FILES, 'zeros.bin': Buffer.alloc(17 * 1024 * 1024) })
  expect((await room.refusalOf(pack(dir))).details).toMatchObject({ rule: 'ratio' })
})

test('excluded names are not packed, with a note about node_modules', async () => {
  const packed = await pack(
    room.folder('cap', { ...FILES, '.git/config': 'x', 'node_modules/a.js': 'x', '.DS_Store': 'x' }),
  )
  expect(packed.files).toHaveLength(5)
  expect(packed.notes).toHaveLength(1)
})

test('a file that changes during packing is reported, and no archive is left', async () => {
  const dir = room.folder('cap', FILES)
  let opened = 0
  const disk: Disk = {
    ...realDisk,
    openSync(path, flags, mode) {
      if (path === join(dir, 'docs/\u00e9.md') && ++opened === 2) fs.writeFileSync(path, 'E')
      return realDisk.openSync(path, flags, mode)
    },
  }
  expect((await room.refusalOf(pack(dir, { disk }))).code).toBe('FETCH_UNREADABLE')
})

test('a full disk leaves no partial archive', async () => {
  const disk: Disk = {
    ...realDisk,
    writeSync() {
      throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
    },
  }
  expect((await room.refusalOf(pack(room.folder('cap', FILES), { disk }))).code).toBe('STATE_DISK_FULL')
})
