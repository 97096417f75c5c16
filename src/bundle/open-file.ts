import { constants, type Stats } from 'node:fs'
import { GsdError } from '../errors.ts'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { changedWhileReadError, toReadError } from './read-errors.ts'

const CHUNK_SIZE = 1024 * 1024

// Each call uses its content before it returns.
const SHARED_BUFFER = Buffer.allocUnsafeSlow(256 * 1024)

/** The reading calls of a disk that an open file needs. */
export type ReadDisk = Pick<Disk, 'openSync' | 'closeSync' | 'readSync' | 'fstatSync'>

/** An open regular file. */
export interface OpenFile {
  readonly fd: number
  readonly stats: Stats
}

const SOURCE_HINT = 'name an archive, or a folder that holds capability.json'

/**
 * Opens a regular file. It does not wait for the writer of a FIFO. A link is followed, because the user named it.
 * Throws FETCH_NOT_FOUND, FETCH_UNREADABLE.
 */
export const openRegularFile = (disk: ReadDisk, path: string): OpenFile => {
  try {
    const fd = disk.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = disk.fstatSync(fd)
      if (stats.isFile()) return { fd, stats }
      throw new GsdError('FETCH_UNREADABLE', `${quote(path)} is not a regular file`, { hint: SOURCE_HINT })
    } catch (error) {
      disk.closeSync(fd)
      throw error
    }
  } catch (error) {
    throw toReadError(error, path)
  }
}

/** The first `length` bytes of an open file, fewer if it is shorter. */
export const readFirstBytes = (disk: ReadDisk, fd: number, length: number): Buffer => {
  const head = Buffer.alloc(Math.min(length, disk.fstatSync(fd).size))
  let filled = 0
  while (filled < head.length) {
    const read = disk.readSync(fd, head, filled, head.length - filled, filled)
    if (read === 0) break
    filled += read
  }
  return head.subarray(0, filled)
}

/** The bytes of an open file from `start` on, in fresh buffers that may be kept. */
export function* readChunks(disk: ReadDisk, fd: number, start = 0): Generator<Buffer> {
  let position = start
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_SIZE)
    const read = disk.readSync(fd, buffer, 0, buffer.length, position)
    if (read === 0) return
    position += read
    yield buffer.subarray(0, read)
  }
}

/** All bytes of an open file through one buffer: `take` must not keep a piece. Returns how many there were. */
export const readAll = (disk: ReadDisk, fd: number, take: (chunk: Buffer) => void): number =>
  readRange(disk, fd, { from: 0, to: Number.POSITIVE_INFINITY }, take)

/** The same for a range, up to the end of the file. */
export const readRange = (
  disk: ReadDisk,
  fd: number,
  { from, to }: { readonly from: number; readonly to: number },
  take: (chunk: Buffer) => void,
): number => {
  let position = from
  while (position < to) {
    const read = disk.readSync(fd, SHARED_BUFFER, 0, Math.min(SHARED_BUFFER.length, to - position), position)
    if (read === 0) break
    position += read
    take(SHARED_BUFFER.subarray(0, read))
  }
  return position - from
}

/** True if a file is unchanged: the same inode, size and times. */
export const isSameFile = (before: Stats, now: Stats): boolean =>
  before.dev === now.dev &&
  before.ino === now.ino &&
  before.size === now.size &&
  before.mtimeMs === now.mtimeMs &&
  before.ctimeMs === now.ctimeMs

export interface ListedFile {
  /** Absolute path. */
  readonly path: string
  /** From `lstat` when it was listed: a regular file. */
  readonly stats: Stats
}

/**
 * Reads a file that was listed before. It must still be the same file with the same size: a link, FIFO or device in its
 * place is not opened or waited for. `take` must not keep a piece. Throws FETCH_UNREADABLE.
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
