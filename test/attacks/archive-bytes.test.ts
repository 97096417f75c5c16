import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundleDigest } from '../../src/bundle/digest.ts'
import { stageBundle } from '../../src/bundle/stage-bundle.ts'
import { GsdError } from '../../src/errors.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { MANIFEST_ENTRY, pax, tar, TAR_END, tarEntry, tgz } from '../helpers/tar.ts'

const room = useBundleFixture()
const archive = tgz(MANIFEST_ENTRY, { path: 'docs/a.md', body: 'text' })
const entry = tarEntry(MANIFEST_ENTRY)

const refused = (bytes: Buffer) => room.refusalOf(room.stageArchive(bytes))

test.each([
  ['an empty file', Buffer.alloc(0), 'is empty'],
  ['a zip file', Buffer.from('PK\u0003\u0004rest of a zip'), 'is a zip file'],
  ['an empty zip file', Buffer.from('PK\u0005\u0006'), 'is a zip file'],
  ['an HTML page', Buffer.from('\n<!DOCTYPE html><html><body>Sign in</body></html>'), 'is an HTML page'],
  ['an HTML page with a BOM', Buffer.from('\ufeff<HTML><title>404</title>'), 'is an HTML page'],
  ['a plain tar', tar(MANIFEST_ENTRY), 'is a tar file without compression'],
  ['an xz file', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), 'is compressed with xz'],
  ['a bzip2 file', Buffer.from('BZh91AY'), 'is compressed with bzip2'],
  ['a zstd file', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), 'is compressed with zstd'],
  ['a git LFS pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\n'), 'is a pointer of git LFS'],
  ['a brotli file', brotliCompressSync(tar(MANIFEST_ENTRY)), 'is not a gzip file'],
  ['a JSON error document', Buffer.from('{"message":"Not Found"}'), 'is a JSON document'],
  ['a single byte', Buffer.from([0x1f]), 'is not a gzip file'],
])('%s instead of a .tgz is named by its format', async (_what, bytes, words) => {
  const error = await refused(bytes)
  expect(error.code).toBe('ARCHIVE_NOT_GZIP')
  expect(error.message).toContain(words)
  expect(error.hint).toBeDefined()
})

test('an archive cut off at any byte is refused', async () => {
  for (let length = 3; length < archive.length; length += 7) {
    expect((await refused(archive.subarray(0, length))).code, `cut at ${length}`).toBe('ARCHIVE_CORRUPT')
  }
  expect((await refused(archive.subarray(0, -1))).code).toBe('ARCHIVE_CORRUPT')
})

test('an archive with one flipped byte is refused, unless it still unpacks to the same bytes', async () => {
  const digestOf = async (bytes: Buffer): Promise<string> => {
    const { dir, files, manifest } = await room.stageArchive(bytes)
    fs.rmSync(dir, { recursive: true })
    return bundleDigest(files, manifest)
  }
  const digest = await digestOf(archive)
  let refusals = 0
  for (let at = 0; at < archive.length; at++) {
    const bytes = Buffer.from(archive)
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    const outcome = await digestOf(bytes).catch((error: unknown) => error)
    if (outcome instanceof GsdError) refusals++
    else expect(outcome, `byte ${at}`).toBe(digest)
  }
  expect(refusals).toBeGreaterThan(archive.length / 2)
})

test.each([
  ['without its end blocks', entry],
  ['with only one end block', Buffer.concat([entry, Buffer.alloc(512)])],
  ['cut off in the middle of a header', Buffer.concat([entry, entry.subarray(0, 100)])],
  [
    'cut off in the middle of a content',
    Buffer.concat([entry, tarEntry({ path: 'a', body: 'x'.repeat(2000) }).subarray(0, 1000)]),
  ],
  ['cut off in the padding of a content', entry.subarray(0, 1000)],
  ['with an extended header that nothing follows', Buffer.concat([entry, pax({ path: 'x' }), TAR_END])],
  ['cut off in an extended header', Buffer.concat([entry, pax({ comment: 'x'.repeat(2000) }).subarray(0, 1000)])],
])('a tar %s ends early, although its gzip is complete', async (_what, bytes) => {
  const error = await refused(gzipSync(bytes))
  expect(error.code).toBe('ARCHIVE_CORRUPT')
  expect(error.details).toEqual({ rule: 'ends-early' })
})

test.each([
  ['an entry behind the end', gzipSync(Buffer.concat([tar(MANIFEST_ENTRY), tarEntry({ path: 'evil.md' })]))],
  [
    'an entry behind one end block',
    gzipSync(Buffer.concat([entry, Buffer.alloc(512), tarEntry({ path: 'evil.md' }), TAR_END])),
  ],
  ['one byte behind the end', gzipSync(Buffer.concat([tar(MANIFEST_ENTRY), Buffer.from('x')]))],
  [
    'one byte behind many zeros',
    gzipSync(Buffer.concat([tar(MANIFEST_ENTRY), Buffer.alloc(200_000), Buffer.from('x')])),
  ],
  ['a second archive in a second gzip member', Buffer.concat([archive, archive])],
  ['bytes behind zeros behind the gzip stream', Buffer.concat([archive, Buffer.alloc(100_000), Buffer.from('evil')])],
])('%s is trailing data', async (_what, bytes) => {
  const error = await refused(bytes)
  expect(error.code).toBe('ARCHIVE_CORRUPT')
  expect(error.details).toEqual({ rule: 'trailing-data' })
})

test.each([
  ['text', Buffer.from('behind the gzip stream')],
  ['one byte', Buffer.from('x')],
  ['the start of another gzip member', Buffer.from([0x1f, 0x8b])],
])('%s after the gzip stream is refused', async (_what, rest) => {
  expect((await refused(Buffer.concat([archive, rest]))).code).toBe('ARCHIVE_CORRUPT')
})

test.each([
  ['text', Buffer.from('just some text')],
  ['a lot of text', Buffer.from('just some text '.repeat(200))],
  ['nothing', Buffer.alloc(0)],
  ['bytes', Buffer.from(Array.from({ length: 2048 }, (_, at) => at % 251))],
])('a gzip file of %s is not an archive', async (_what, bytes) => {
  const error = await refused(gzipSync(bytes))
  expect(error.details).toEqual({ rule: 'not-tar' })
})

test('a header with a wrong checksum is refused', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'a.md', badChecksum: true })
  expect(error.details).toEqual({ rule: 'header' })
})

test.each([
  ['a size with a letter in it', (block: Buffer) => void block.write('0000000001x', 124)],
  ['a size with a minus', (block: Buffer) => void block.write('-0000000001', 124)],
  ['a negative size', (block: Buffer) => void block.fill(0xff, 124, 136)],
  ['a mode with a nine in it', (block: Buffer) => void block.write('0000649', 100)],
])('a header with %s is refused', async (_what, patch) => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'a.md', patch })
  expect(error.details).toEqual({ rule: 'number' })
})

test('a FIFO instead of an archive is refused at once', async () => {
  fs.mkdirSync(room.path('source'))
  execFileSync('mkfifo', [room.path('source', 'pipe.tgz')])
  const error = await room.refusalOf(
    stageBundle(
      { kind: 'archive', file: room.path('source', 'pipe.tgz') },
      { disk: realDisk, into: room.path('staged') },
    ),
  )
  expect(error.code).toBe('FETCH_UNREADABLE')
})

test.each([
  ['a device', '/dev/zero', 'FETCH_UNREADABLE'],
  ['a folder', '/', 'FETCH_UNREADABLE'],
  ['nothing', '/nowhere/at/all.tgz', 'FETCH_NOT_FOUND'],
])('%s instead of an archive is refused', async (_what, file, code) => {
  const error = await room.refusalOf(
    stageBundle({ kind: 'archive', file }, { disk: realDisk, into: room.path('staged') }),
  )
  expect(error.code).toBe(code)
})

test('a socket instead of an archive is refused', async () => {
  fs.mkdirSync(room.path('source'))
  const file = room.path('source', 'socket.tgz')
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(file, resolve))
  const error = await room.refusalOf(
    stageBundle({ kind: 'archive', file }, { disk: realDisk, into: room.path('staged') }),
  )
  server.close()
  expect(error.code).toBe('FETCH_UNREADABLE')
})
