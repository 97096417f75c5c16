import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { ensureFolder, withFolder } from '../../src/platform/folders.ts'
import { codeOf, thrownBy } from '../helpers/thrown.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-folders-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a folder that another process creates and removes meanwhile is created in the end', () => {
  const folder = join(root, 'a', 'b')
  let remaining = 3
  const disk: Disk = {
    ...realDisk,
    mkdirSync(path, mode) {
      if (path !== folder || remaining-- <= 0) return realDisk.mkdirSync(path, mode)
      mkdirSync(path)
      try {
        realDisk.mkdirSync(path, mode)
      } finally {
        rmdirSync(path)
      }
    },
  }
  expect(ensureFolder(disk, folder)).toEqual([join(root, 'a'), folder])
  expect(statSync(folder).isDirectory()).toBe(true)
})

test('a file in place of a folder is refused, and the created parents are removed', () => {
  writeFileSync(join(root, 'a'), '')
  expect(codeOf(() => ensureFolder(realDisk, join(root, 'a')))).toBe('STATE_CHANGED')
  expect(codeOf(() => ensureFolder(realDisk, join(root, 'a', 'b')))).toBe('STATE_CHANGED')
})

test('a folder that another process removes as empty meanwhile is created again', () => {
  const folder = join(root, 'a/b')
  let removals = 0
  withFolder(realDisk, folder, () => {
    if (removals++ < 3) rmdirSync(folder)
    writeFileSync(join(folder, 'x'), 'x', { flag: 'wx' })
  })
  expect(existsSync(join(folder, 'x'))).toBe(true)
})

test('an existing entry is no reason to retry', () => {
  writeFileSync(join(root, 'x'), 'x')
  let tries = 0
  const work = () => withFolder(realDisk, root, () => (tries++, writeFileSync(join(root, 'x'), 'y', { flag: 'wx' })))
  expect([thrownBy(work).code, tries]).toEqual(['STATE_CHANGED', 1])
})
