import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleDigest } from '../../src/bundle/digest.ts'
import { hashTree } from '../../src/bundle/hash-tree.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { asNobody } from '../helpers/as-nobody.ts'
import { pathsOf, useBundleFixture } from '../helpers/bundle-fixture.ts'
import { codeOf } from '../helpers/thrown.ts'

const room = useBundleFixture()
const FILES = {
  'capability.json': '{"hooks":[{"script":"hooks/a.sh"}]}',
  'docs/a.md': 'text',
  'hooks/a.sh': '#!/bin/sh\n',
}

test('a staged bundle has the hashes that staging reported', async () => {
  const staged = await room.stageFolder(room.folder('cap', FILES))
  const hashed = hashTree(staged.dir, realDisk)
  expect(hashed.files).toEqual(staged.files)
  expect(Buffer.from(hashed.manifest ?? [])).toEqual(Buffer.from(staged.manifest))
  expect(hashed.unexpected).toEqual([])
})

test('a lost executable bit of a hook script changes the file list and not the digest', async () => {
  const staged = await room.stageFolder(room.folder('cap', FILES))
  fs.chmodSync(join(staged.dir, 'hooks/a.sh'), 0o644)
  const { files, manifest } = hashTree(staged.dir, realDisk)
  expect(files.find((file) => file.path === 'hooks/a.sh')?.executable).toBe(false)
  expect(bundleDigest(files, manifest)).toBe(bundleDigest(staged.files, staged.manifest))
})

test('added files are hashed, also those that are never part of a bundle', async () => {
  const staged = await room.stageFolder(room.folder('cap', FILES))
  for (const path of ['node_modules/evil/index.js', '.git/config', 'docs/.DS_Store']) {
    fs.mkdirSync(join(staged.dir, path, '..'), { recursive: true })
    fs.writeFileSync(join(staged.dir, path), 'added')
    const { files, manifest } = hashTree(staged.dir, realDisk)
    expect(pathsOf(files)).toContain(path)
    expect(bundleDigest(files, manifest)).not.toBe(bundleDigest(staged.files, staged.manifest))
    fs.rmSync(join(staged.dir, path))
  }
})

test('links, FIFOs and other special files are reported and never followed or opened', () => {
  const dir = room.folder('cap', FILES)
  fs.symlinkSync('/etc/hostname', join(dir, 'docs/link.md'))
  fs.symlinkSync('/', join(dir, 'root'))
  execFileSync('mkfifo', [join(dir, 'pipe')])
  const { files, unexpected } = hashTree(dir, realDisk)
  expect(files).toHaveLength(3)
  expect(unexpected).toEqual(['"docs/link.md" is a symbolic link', '"pipe" is a FIFO', '"root" is a symbolic link'])
})

test('a bundle folder that is a link is not walked', () => {
  const dir = room.folder('cap', FILES)
  fs.symlinkSync(dir, room.path('link'))
  const { files, manifest, unexpected } = hashTree(room.path('link'), realDisk)
  expect([files, manifest]).toEqual([[], null])
  expect(unexpected).toHaveLength(1)
})

test('a file that cannot be read is reported, and the others are hashed', () => {
  const dir = room.folder('cap', FILES)
  fs.chmodSync(join(dir, 'docs/a.md'), 0)
  const disk: Disk = { ...realDisk, openSync: (...args) => asNobody(() => realDisk.openSync(...args)) }
  fs.chmodSync(room.dir, 0o755)
  const { files, unexpected } = hashTree(dir, disk)
  expect(pathsOf(files)).toEqual(['capability.json', 'hooks/a.sh'])
  expect(unexpected).toHaveLength(1)
  expect(unexpected[0]).toContain('docs/a.md')
})

test('a missing manifest is null, and one that is too long is truncated', () => {
  const dir = room.folder('cap', { 'a.md': 'x' })
  expect(hashTree(dir, realDisk).manifest).toBeNull()
  fs.writeFileSync(join(dir, 'capability.json'), ' '.repeat(3_000_000))
  expect(hashTree(dir, realDisk).manifest).toHaveLength(1024 * 1024 + 1)
})

test('a tree that exceeds the limits of a bundle is not hashed completely', () => {
  const dir = room.folder('cap', FILES)
  fs.truncateSync(join(dir, 'docs/a.md'), 64 * 1024 * 1024 + 1)
  expect(hashTree(dir, realDisk).unexpected).toEqual(['"docs/a.md" is larger than 64 MiB'])
  fs.mkdirSync(join(dir, 'many'))
  for (let at = 0; at < 10_001; at++) fs.writeFileSync(join(dir, 'many', String(at)), '')
  const { unexpected, files } = hashTree(dir, realDisk)
  expect(unexpected.at(-1)).toBe('there are more than 10000 entries')
  expect(files.length).toBeLessThanOrEqual(10_000)
})

test('a folder that is missing is an error', () => {
  expect(codeOf(() => hashTree(room.path('nowhere'), realDisk))).toBe('STATE_CHANGED')
})
