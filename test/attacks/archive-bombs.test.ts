import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createGzip, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { stageBundle } from '../../src/bundle/stage-bundle.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { MANIFEST_ENTRY, pax, tar, TAR_END, tarEntry, tgz } from '../helpers/tar.ts'

const MIB = 1024 * 1024
const room = useBundleFixture()

/** A gzip file of these buffers, each repeated as often as stated, made without holding all of it in memory. */
const streamedGzip = async (parts: readonly (readonly [Buffer, number])[]): Promise<string> => {
  const file = room.archive(Buffer.alloc(0))
  const gzip = createGzip({ level: 1 })
  const done = new Promise<void>((resolve, reject) => {
    gzip.pipe(fs.createWriteStream(file)).on('finish', resolve).on('error', reject)
  })
  for (const [bytes, times] of parts) {
    for (let at = 0; at < times; at++)
      if (!gzip.write(bytes)) await new Promise((resolve) => gzip.once('drain', resolve))
  }
  gzip.end()
  await done
  return file
}

const stageFile = (file: string) =>
  stageBundle({ kind: 'archive', file }, { disk: realDisk, into: room.path('staged') })
const header = (path: string, size: number): Buffer => tarEntry({ path, size })
const manifest = tarEntry(MANIFEST_ENTRY)

test('a file of 10 GB is refused at its header', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'zeros.bin', size: 10 * 1024 * MIB })
  expect(error.code).toBe('ARCHIVE_TOO_LARGE')
  expect(error.details).toMatchObject({ rule: 'file', entry: 'zeros.bin' })
})

test('a file of 10 GB is refused at its extended header', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, pax({ size: String(10 * 1024 * MIB) }), { path: 'zeros.bin' })
  expect(error.details).toMatchObject({ rule: 'file' })
})

test('a file size above every safe number is refused', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, {
    path: 'zeros.bin',
    patch: (block) => {
      block.fill(0xff, 124, 136)
      block[124] = 0x80
    },
  })
  expect(error.details).toMatchObject({ rule: 'file' })
})

test('a stream of zeros in many files is cut off by its ratio', async () => {
  const zeros = Buffer.alloc(32 * MIB)
  const file = await streamedGzip([
    [manifest, 1],
    ...Array.from({ length: 7 }, (_, at): [Buffer, number][] => [
      [header(`zeros-${at}.bin`, zeros.length), 1],
      [zeros, 1],
    ]).flat(),
    [TAR_END, 1],
  ])
  expect((await room.refusalOf(stageFile(file))).details).toMatchObject({ rule: 'ratio' })
})

test('a gigabyte of zeros after the end of an archive is cut off', async () => {
  const file = await streamedGzip([
    [Buffer.concat([manifest, TAR_END]), 1],
    [Buffer.alloc(MIB), 1024],
  ])
  expect((await room.refusalOf(stageFile(file))).code).toBe('ARCHIVE_TOO_LARGE')
})

test('endless extended headers are cut off', async () => {
  const file = await streamedGzip([
    [manifest, 1],
    [pax({ comment: 'x'.repeat(900_000) }), 300],
  ])
  expect((await room.refusalOf(stageFile(file))).code).toBe('ARCHIVE_TOO_LARGE')
})

test('an extended header of more than 1 MiB is refused', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, pax({ comment: 'x'.repeat(MIB) }), { path: 'x' })
  expect(error.details).toMatchObject({ rule: 'extended-header' })
})

test('an extended header of 10 GB is refused', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'PaxHeader', flag: 'x', size: 10 * 1024 * MIB })
  expect(error.code).toBe('ARCHIVE_TOO_LARGE')
})

test('incompressible files of more than 256 MiB in total are refused', async () => {
  const random = randomBytes(64 * MIB)
  const file = room.archive(Buffer.alloc(0))
  const out = fs.openSync(file, 'w')
  fs.writeSync(out, gzipSync(manifest, { level: 0 }))
  for (let at = 0; at < 5; at++) {
    const bytes = at < 4 ? random : Buffer.from('x')
    fs.writeSync(out, gzipSync(Buffer.concat([header(`noise-${at}.bin`, bytes.length), bytes]), { level: 0 }))
  }
  fs.closeSync(out)
  expect((await room.refusalOf(stageFile(file))).details).toMatchObject({ rule: 'unpacked', entry: 'noise-3.bin' })
})

test('a file of 64 MiB passes and one byte more does not', async () => {
  const limit = 64 * MIB
  const random = randomBytes(MIB)
  const body = Buffer.alloc(limit + 1)
  for (let at = 0; at < 64; at++) random.copy(body, at * MIB)
  const archiveOf = (size: number) =>
    gzipSync(
      Buffer.concat([
        manifest,
        header('big.bin', size),
        body.subarray(0, size),
        Buffer.alloc(512 - (size % 512 || 512)),
        TAR_END,
      ]),
      { level: 0 },
    )
  const { files } = await room.stageArchive(archiveOf(limit))
  expect(files.find((one) => one.path === 'big.bin')?.size).toBe(limit)
  fs.rmSync(room.path(room.written()[0] ?? ''), { recursive: true })
  expect((await room.refusalOf(room.stageArchive(archiveOf(limit + 1)))).details).toMatchObject({ rule: 'file' })
})

test('10,000 entries pass and one more does not', async () => {
  const entries = (count: number) =>
    tar(MANIFEST_ENTRY, ...Array.from({ length: count - 1 }, (_, at) => ({ path: `f/${at}.md` })))
  const { files } = await room.stageArchive(gzipSync(entries(10_000)))
  expect(files).toHaveLength(10_000)
  fs.rmSync(room.path(room.written()[0] ?? ''), { recursive: true })
  const error = await room.refusalOf(room.stageArchive(gzipSync(entries(10_001))))
  expect(error.details).toMatchObject({ rule: 'entries' })
})

test('endless repeated folders are counted as entries', async () => {
  const folder = tarEntry({ path: 'docs/', flag: '5' })
  const file = await streamedGzip([
    [manifest, 1],
    [folder, 20_000],
  ])
  expect((await room.refusalOf(stageFile(file))).details).toMatchObject({ rule: 'entries' })
})

test('16 MiB of zeros pass at any ratio', async () => {
  const { files } = await room.stageArchive(tgz({ path: 'zeros.bin', body: Buffer.alloc(15 * MIB) }, MANIFEST_ENTRY))
  expect(files.map((one) => one.size)).toEqual([14, 15 * MIB])
})

test('17 MiB of zeros are refused before any of them reaches the disk', async () => {
  const error = await room.refusal(MANIFEST_ENTRY, { path: 'zeros.bin', body: Buffer.alloc(17 * MIB) })
  expect(error.details).toMatchObject({ rule: 'ratio' })
})
