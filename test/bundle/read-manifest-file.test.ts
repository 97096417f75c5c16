import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readManifestFile } from '../../src/bundle/read-manifest-file.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { useBundleFixture } from '../helpers/bundle-fixture.ts'
import { codeOf, thrownBy } from '../helpers/thrown.ts'

const room = useBundleFixture()

/** A disk that fails the test when any file is opened. */
const closed: Disk = {
  ...realDisk,
  openSync(path) {
    throw new Error(`opened ${path}`)
  },
}

test('a manifest is read by its own path and by the path of its folder', () => {
  const dir = room.folder('cap', { 'capability.json': '{"id":"demo"}' })
  for (const path of [dir, join(dir, 'capability.json')]) {
    const read = readManifestFile(path)
    expect(read.file).toBe(join(dir, 'capability.json'))
    expect(read.value).toEqual({ id: 'demo' })
  }
})

test.each([
  ['a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
  ['a folder', (path: string) => void fs.mkdirSync(join(path, 'capability.json'), { recursive: true })],
  ['a link to a device', (path: string) => fs.symlinkSync('/dev/zero', path)],
  ['a link out of the bundle', (path: string) => fs.symlinkSync('/etc/hostname', path)],
  ['a link to the folder above', (path: string) => fs.symlinkSync('..', path)],
  ['a link to its own folder', (path: string) => fs.symlinkSync('.', path)],
  ['a link to itself', (path: string) => fs.symlinkSync('capability.json', path)],
])('%s in place of the manifest is refused without being opened', (_what, make) => {
  const dir = room.folder('cap', { 'a.md': 'x' })
  make(join(dir, 'capability.json'))
  expect(codeOf(() => readManifestFile(join(dir, 'capability.json'), closed))).toBe('FETCH_UNREADABLE')
})

test('a device is refused without being opened', () => {
  expect(thrownBy(() => readManifestFile('/dev/null', closed)).message).toContain('is a device')
})

test('a link that stays in its folder is followed', () => {
  const dir = room.folder('cap', { 'sub/real.json': '{"id":"demo"}' })
  fs.symlinkSync('sub/real.json', join(dir, 'capability.json'))
  expect(readManifestFile(dir).value).toEqual({ id: 'demo' })
})

test('a missing manifest, and a dangling link, are reported as not found', () => {
  const dir = room.folder('cap', { 'a.md': 'x' })
  expect(codeOf(() => readManifestFile(dir))).toBe('FETCH_NOT_FOUND')
  fs.symlinkSync('nowhere.json', join(dir, 'capability.json'))
  expect(codeOf(() => readManifestFile(dir))).toBe('FETCH_NOT_FOUND')
})

test('a manifest of 50 MB is read only until it exceeds the limit', () => {
  const dir = room.folder('cap', { 'capability.json': '{' })
  fs.truncateSync(join(dir, 'capability.json'), 50_000_000)
  let bytes = 0
  const disk: Disk = {
    ...realDisk,
    readSync(...args) {
      const read = realDisk.readSync(...args)
      bytes += read
      return read
    },
  }
  const { diagnostics } = readManifestFile(dir, disk)
  expect(bytes).toBe(1024 * 1024 + 1)
  expect(diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
})
