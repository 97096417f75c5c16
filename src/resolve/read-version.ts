import { constants } from 'node:fs'
import { join } from 'node:path'
import { isExecutable } from '../bundle/bundle.ts'
import { errnoOf } from '../errors.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import type { ReadVersion } from '../trust/disclosure.ts'
import { MAX_SHOWN_BYTES } from '../trust/file-diff.ts'

/** Reads single files of a bundle to show them. Never follows a link and never waits for a pipe. @throws STATE_* */
export const versionReader =
  (disk: Disk, dir: string): ReadVersion =>
  (path) => {
    const file = join(dir, path)
    return withDiskErrors('read', file, () => {
      try {
        const fd = disk.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
        try {
          const stats = disk.fstatSync(fd)
          if (!stats.isFile()) return null
          const executable = isExecutable(stats)
          if (stats.size > MAX_SHOWN_BYTES) return { bytes: null, executable }
          return { bytes: readWhole(disk, fd, stats.size), executable }
        } finally {
          disk.closeSync(fd)
        }
      } catch (error) {
        if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errnoOf(error) ?? '')) return null
        throw error
      }
    })
  }

const readWhole = (disk: Disk, fd: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  let filled = 0
  while (filled < size) {
    const read = disk.readSync(fd, bytes, filled, size - filled, filled)
    if (read === 0) break
    filled += read
  }
  return bytes.subarray(0, filled)
}
