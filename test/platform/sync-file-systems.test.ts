import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { realDisk } from '../../src/platform/disk.ts'
import { syncFileSystems } from '../../src/platform/sync-file-systems.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gsd-sync-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

it('does not claim to have synced a path that does not exist', async () => {
  expect(await syncFileSystems([join(dir, 'missing')])).toBe(false)
})

it('takes a path that looks like a flag for a path', async () => {
  expect(await syncFileSystems(['--help'])).toBe(false)
})

it('syncs many files, and reports one that is missing', async () => {
  const files = Array.from({ length: 300 }, (_, n) => join(dir, `${n}`))
  for (const file of files) writeFileSync(file, 'x')
  await realDisk.syncAll(files)
  rmSync(files[7] ?? '')
  await expect(realDisk.syncAll(files)).rejects.toMatchObject({ code: 'ENOENT' })
})
