import * as fs from 'node:fs'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Parser, type ReadEntry } from 'tar'
import { expect, test } from 'vitest'
import { auditEntries } from '../../src/bundle/archive/audit.ts'
import { createCheckedReader } from '../../src/bundle/archive/checked-reader.ts'
import { createTarReader, type TarReader, type TarSink } from '../../src/bundle/archive/tar-reader.ts'
import type { SourceEntry } from '../../src/bundle/bundle.ts'
import { bundleDigest } from '../../src/bundle/digest.ts'
import { hashTree } from '../../src/bundle/hash-tree.ts'
import { packBundle } from '../../src/bundle/pack/pack-bundle.ts'
import { stageBundle } from '../../src/bundle/stage-bundle.ts'
import { GsdError } from '../../src/errors.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { fc } from '../helpers/property.ts'
import { longName, pax, tar, tarEntry, tgz } from '../helpers/tar.ts'

const room = useBundleFixture()

const hostile = fc.constantFrom(
  '..',
  '.',
  '',
  '/',
  '\\',
  'C:',
  '~',
  'a',
  'A',
  'b.md',
  'CON',
  'x.',
  ' ',
  '\0',
  '\n',
  '\u00e9',
  'e\u0301',
  '.git',
  'node_modules',
  '\ud800',
)
const anyPath = fc.oneof(
  fc.array(hostile, { maxLength: 6 }).map((parts) => parts.join('/')),
  fc.array(hostile, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const anyEntry: fc.Arbitrary<SourceEntry> = fc.record({
  path: anyPath,
  type: fc.constantFrom('file', 'file', 'file', 'directory', 'symlink', 'link', 'device', 'fifo', 'socket', 'other'),
  size: fc.nat(1000),
  executable: fc.boolean(),
})

test('a path that passes the audit never leaves the root, and no two are the same', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 4 }), (entries) => {
      const audit = auditEntries(entries, null)
      if (!audit.ok) return
      const seen = new Set<string>()
      for (const { path } of audit.files) {
        expect(posix.join('/root', path)).toBe(`/root/${path}`)
        expect(posix.normalize(path)).toBe(path)
        expect(path).not.toMatch(/[\\\p{Cc}]|^[a-z]:|(^|\/)\.\.?(\/|$)/iu)
        const key = path.normalize('NFC').toLowerCase()
        expect(seen.has(key)).toBe(false)
        seen.add(key)
      }
    }),
    { numRuns: 2000 },
  )
})

const anyEntries = fc.array(anyEntry, { maxLength: 5 })
const withShuffled = (entries: readonly SourceEntry[]) =>
  fc.tuple(fc.constant(entries), fc.shuffledSubarray([...entries], { minLength: entries.length }))

test('the verdict does not depend on the order of the entries', () => {
  fc.assert(
    fc.property(anyEntries.chain(withShuffled), ([entries, shuffled]) => {
      const [one, two] = [auditEntries(entries, null), auditEntries(shuffled, null)]
      expect(two.ok).toBe(one.ok)
      if (one.ok && two.ok) expect(two.files.toSorted(byPath)).toEqual(one.files.toSorted(byPath))
    }),
    { numRuns: 1000 },
  )
})

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1)

const goodName = fc
  .string({
    unit: fc.constantFrom('a', 'b', 'Z', '1', '-', '_', ' ', '\u00e9', '\u65e5', '\u{1f600}', "'", '$'),
    minLength: 1,
    maxLength: 40,
  })
  .map((name) => `${name}x`)
const goodTree = fc.dictionary(
  fc.array(goodName, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
  fc.record({ content: fc.uint8Array({ maxLength: 3000 }), executable: fc.boolean() }),
  { maxKeys: 8, noNullPrototype: true },
)

test('packing and staging keep the digest, and the tree on disk has it too', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(goodTree, async (tree) => {
      const paths = Object.keys(tree)
      const entries = paths.map((path): SourceEntry => ({ path, type: 'file', size: 0, executable: false }))
      fc.pre(auditEntries(entries, null).ok)
      const dir = room.folder(`tree-${++run}`, { 'capability.json': '{"id":"demo","version":"1.0.0"}' })
      for (const [path, { content, executable }] of Object.entries(tree)) {
        fs.mkdirSync(join(dir, path, '..'), { recursive: true })
        fs.writeFileSync(join(dir, path), content, { mode: executable ? 0o755 : 0o644 })
      }
      const packed = await packBundle(dir, {
        disk: realDisk,
        out: room.path('source', `${run}.tgz`),
        writeIntegrity: run % 2 === 0,
      })
      const staged = await stageBundle(
        { kind: 'archive', file: packed.file },
        { disk: realDisk, into: room.path('source', `staged-${run}`) },
      )
      expect(bundleDigest(staged.files, staged.manifest)).toBe(packed.digest)
      const hashed = hashTree(staged.dir, realDisk)
      expect(hashed.unexpected).toEqual([])
      expect(bundleDigest(hashed.files, hashed.manifest)).toBe(packed.digest)
      expect(hashed.files).toHaveLength(paths.length + 1)
    }),
    { numRuns: 60 },
  )
})

test('the order of the entries in an archive does not change the bundle', async () => {
  const files = {
    'capability.json': '{"hooks":[{"script":"h/run"}]}',
    'h/run': '#!/bin/sh',
    'h/a.md': 'a',
    'z.md': 'z',
  }
  const all = Object.entries(files).map(([path, body]) => ({ path, body }))
  const digests = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(all, { minLength: all.length }), async (entries) => {
      const { files: staged, manifest } = await room.stageArchive(tgz(...entries))
      digests.add(bundleDigest(staged, manifest))
    }),
    { numRuns: 20 },
  )
  expect(digests.size).toBe(1)
})

/** The result of a reader: a list of entries, or null for a refusal. */
const readWith = (reader: TarReader, seen: string[], bytes: Buffer, cut: number): string[] | null => {
  try {
    for (let at = 0; at < bytes.length; at += cut) reader.write(bytes.subarray(at, at + cut))
    reader.finish()
    return seen
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

const sinkInto = (seen: string[]): TarSink => ({
  entry: ({ path, type, size, executable }) => void seen.push(`${type} ${path} ${size} ${executable}`),
  data() {},
  end() {},
  countOverhead() {},
})

const ours = (bytes: Buffer, cut: number): string[] | null => {
  const seen: string[] = []
  return readWith(createTarReader(sinkInto(seen)), seen, bytes, cut)
}

const both = async (bytes: Buffer, cut: number): Promise<string[] | null> => {
  const seen: string[] = []
  return readWith(await createCheckedReader(sinkInto(seen)), seen, bytes, cut)
}

const TYPES: Readonly<Record<string, string>> = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'directory',
  Link: 'link',
  SymbolicLink: 'symlink',
  CharacterDevice: 'device',
  BlockDevice: 'device',
  FIFO: 'fifo',
}

const theirs = (bytes: Buffer): string[] | null => {
  const seen: string[] = []
  let refused = false
  const parser = new Parser({ strict: true })
  parser.on('error', () => (refused = true))
  parser.on('ignoredEntry', () => (refused = true))
  parser.on('entry', (entry: ReadEntry) => {
    const { size = 0, mode = 0 } = entry.header
    seen.push(`${TYPES[entry.type] ?? 'other'} ${entry.path} ${size} ${(mode & 0o100) !== 0}`)
    entry.resume()
  })
  try {
    parser.end(bytes)
  } catch {
    refused = true
  }
  return refused ? null : seen
}

const anyTar = fc
  .array(
    fc.oneof(
      fc
        .record({
          path: fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '\u00e9'), minLength: 1, maxLength: 20 }),
          flag: fc.constantFrom('0', '0', '0', '\0', '5', '1', '2', '3', '6', '7'),
          body: fc.string({ maxLength: 700 }),
        })
        .map(({ path, flag, body }) =>
          tarEntry({
            path,
            flag,
            body: flag === '0' || flag === '7' ? body : '',
            link: flag === '1' || flag === '2' ? 'target' : '',
          }),
        ),
      fc
        .string({ unit: fc.constantFrom('a', '/', '\u00e9'), minLength: 1, maxLength: 120 })
        .map((path) => Buffer.concat([pax({ path: `${path}x` }), tarEntry({ path: 'short', body: 'body' })])),
    ),
    { maxLength: 5 },
  )
  .map((entries) => tar(tarEntry({ path: 'capability.json', body: '{}' }), ...entries))

test('our reader finds in an archive what node-tar finds, however the bytes are split', () => {
  fc.assert(
    fc.property(anyTar, fc.integer({ min: 1, max: 2000 }), (bytes, cut) => {
      expect(ours(bytes, cut)).toEqual(theirs(bytes))
    }),
    { numRuns: 300 },
  )
})

test('our reader refuses what node-tar refuses, and if both accept they find the same entries', () => {
  fc.assert(
    fc.property(anyTar, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }), (bytes, changes) => {
      for (const [at, value] of changes) bytes[at % bytes.length] = value
      const mine = ours(bytes, 512)
      if (mine !== null) expect(theirs(bytes)).toEqual(mine)
    }),
    { numRuns: 1000 },
  )
})

const oddName = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '\0', '\n', '\r', '\t', '\u007f', '\u0085', '\u2028', '\u00e9', '\ufeff'),
  minLength: 1,
  maxLength: 12,
})

test('a name with control characters is never read in two ways, wherever it is', () => {
  fc.assert(
    fc.property(oddName, oddName, fc.integer({ min: 1, max: 700 }), (name, key, cut) => {
      const entry = { path: 'short', body: 'body' }
      for (const entries of [
        [{ ...entry, rawPath: Buffer.from(name) }],
        [{ ...entry, patch: (header: Buffer) => void header.write(name, 345) }],
        [longName(name), entry],
        [pax({ path: name }), entry],
        [pax({ path: 'first', [key]: name }), entry],
        [pax({ [key]: name }, 'g'), entry],
        [pax({ size: `4${key}` }), entry],
      ]) {
        const bytes = tar(...entries)
        const mine = ours(bytes, cut)
        if (mine !== null) expect(theirs(bytes)).toEqual(mine)
      }
    }),
    { numRuns: 500 },
  )
})

test('two readers in a row accept what our reader and node-tar read the same, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyTar,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      fc.integer({ min: 1, max: 2000 }),
      async (bytes, changes, cut) => {
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        const mine = ours(bytes, 512)
        const isSame = mine !== null && JSON.stringify(theirs(bytes)) === JSON.stringify(mine)
        expect(await both(bytes, cut)).toEqual(isSame ? mine : null)
      },
    ),
    { numRuns: 500 },
  )
})

test('bytes that are not an archive are refused by a code', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.boolean(), async (bytes, compressed) => {
      const archive = compressed ? gzipSync(bytes) : Buffer.from(bytes)
      const error = await room.refusalOf(room.stageArchive(archive))
      expect(error.code).toMatch(/^ARCHIVE_/)
    }),
    { numRuns: 100 },
  )
})
