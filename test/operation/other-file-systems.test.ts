import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { systemError } from '../helpers/fault-disk.ts'
import { treeState, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

/** A disk on which no file can be renamed out of the cache, as when the cache is on another device. */
const withCacheElsewhere = (): Disk => ({
  ...realDisk,
  renameSync: (from, to) => {
    const isInCache = (path: string): boolean => path.startsWith(scratch.path('cache'))
    if (isInCache(from) !== isInCache(to)) throw systemError('EXDEV', 'rename')
    realDisk.renameSync(from, to)
  },
})
/** A disk without hard links. */
const withoutLinks: Disk = {
  ...realDisk,
  linkSync: (from, to) => {
    // The lock itself uses a hard link.
    if (!to.includes('/.lock/')) throw systemError('EPERM', 'link')
    realDisk.linkSync(from, to)
  },
}
const withoutTimes = (line: string): string => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')

describe('a cache on another disk', () => {
  test('is copied from: the same is installed, and nothing is left in it', async () => {
    const bundle = scratch.bundle('guard', { files: { 'docs/a.md': 'a', 'tool.sh': '#!/bin/sh\n' } })
    const before = scratch.tree()
    await scratch.install(bundle, { runtimes: ['claude'] })
    const expected = scratch.tree().map(withoutTimes)
    await scratch.remove('guard')
    await scratch.install(bundle, { runtimes: ['claude'] }, { disk: withCacheElsewhere() })
    expect(scratch.tree().map(withoutTimes)).toEqual(expected)
    expect(treeState(scratch.root).filter((line) => line.startsWith('cache/'))).toEqual([])
    await scratch.remove('guard', {}, { disk: withCacheElsewhere() })
    scratch.expectTree(before)
  })

  test('that changed after the audit is not installed', async () => {
    const bundle = scratch.bundle('guard')
    const disk: Disk = withCacheElsewhere()
    const changingDisk: Disk = {
      ...disk,
      renameSync: (from, to) => {
        if (from.startsWith(scratch.path('cache')))
          scratch.put(`${from.slice(scratch.root.length + 1)}/hooks/run.sh`, '#!/bin/sh\nevil\n')
        disk.renameSync(from, to)
      },
    }
    const error = await scratch.refused(() => scratch.install(bundle, {}, { disk: changingDisk }))
    expect(error).toMatchObject({ code: 'STATE_CHANGED', exitStatus: 4 })
  })
})

describe('a disk without hard links', () => {
  test("keeps the user's files in a bundle folder by copying them, with their mode", async () => {
    const bundle = scratch.bundle('guard')
    await scratch.install(bundle)
    const data = scratch.put('home/.gsd/capabilities/guard/data/log.txt', 'mine', 0o666)
    scratch.bundle('guard', { manifest: { version: '2.0.0' } })
    await scratch.install(bundle, {}, { disk: withoutLinks })
    expect([scratch.text('home/.gsd/capabilities/guard/data/log.txt'), statSync(data).mode & 0o777]).toEqual([
      'mine',
      0o666,
    ])
    expect((await scratch.remove('guard', {}, { disk: withoutLinks })).kept).toEqual([data])
    expect([scratch.text('home/.gsd/capabilities/guard/data/log.txt'), statSync(data).mode & 0o777]).toEqual([
      'mine',
      0o666,
    ])
  })
})
