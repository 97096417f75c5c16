import { constants, type Stats } from 'node:fs'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { readAll } from './open-file.ts'
import { changedWhileReadError, toReadError } from './read-errors.ts'

export interface ListedFile {
  /** Absolute path. */
  readonly path: string
  /** What `lstat` said when it was listed: a regular file. */
  readonly stats: Stats
}

/**
 * Reads a file that was listed before. It must still be that very file, of that size: no link, FIFO or device that took
 * its place is followed, waited for or read. A piece must not be kept. Throws FETCH_UNREADABLE.
 */
export const readListedFile = (disk: Disk, file: ListedFile, take: (chunk: Buffer) => void): void => {
  const fd = openListedFile(disk, file.path)
  try {
    try {
      const now = disk.fstatSync(fd)
      const { ino, dev, size } = file.stats
      if (!now.isFile() || now.ino !== ino || now.dev !== dev || now.size !== size)
        throw changedWhileReadError(file.path)
      if (readAll(disk, fd, take) !== size) throw changedWhileReadError(file.path)
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    throw toReadError(error, file.path)
  }
}

const openListedFile = (disk: Disk, path: string): number => {
  try {
    return disk.openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO')) throw changedWhileReadError(path)
    throw toReadError(error, path)
  }
}
