import { existsSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inFolder } from '../../src/store/folders.ts'
import { realDisk } from '../../src/store/real-disk.ts'
import { thrownBy } from '../helpers/thrown.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gsd-folders-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('a folder that another process takes away as empty meanwhile is made again', () => {
  const folder = join(dir, 'a/b')
  let taken = 0
  inFolder(realDisk, folder, () => {
    if (taken++ < 3) rmdirSync(folder)
    writeFileSync(join(folder, 'x'), 'x', { flag: 'wx' })
  })
  expect(existsSync(join(folder, 'x'))).toBe(true)
})

test('what stands there already is no reason to try again', () => {
  writeFileSync(join(dir, 'x'), 'x')
  let tries = 0
  const work = () => inFolder(realDisk, dir, () => (tries++, writeFileSync(join(dir, 'x'), 'y', { flag: 'wx' })))
  expect([thrownBy(work).code, tries]).toEqual(['STATE_CHANGED', 1])
})
