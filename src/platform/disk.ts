import type { Stats } from 'node:fs'
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  promises,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { diskError, isErrno, isSyncUnsupported, withDiskErrors } from './disk-error.ts'

/**
 * The file-system calls that an operation makes, as one value, so that a test can stop the program, fail a call or
 * record it at any of them. Names and behaviour are those of `node:fs`; paths are always strings, and the only
 * asynchronous call is {@link Disk.syncAll}, because many fsyncs overlap well.
 */
export interface Disk {
  openSync(path: string, flags: string | number, mode?: number): number
  closeSync(fd: number): void
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number | null): number
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number): number
  fsyncSync(fd: number): void
  fchmodSync(fd: number, mode: number): void
  fchownSync(fd: number, uid: number, gid: number): void
  fstatSync(fd: number): Stats
  lstatSync(path: string): Stats
  statSync(path: string): Stats
  realpathSync(path: string): string
  readlinkSync(path: string): string
  readdirSync(path: string): string[]
  readFileSync(path: string): Buffer
  mkdirSync(path: string, mode?: number): void
  rmdirSync(path: string): void
  unlinkSync(path: string): void
  renameSync(from: string, to: string): void
  linkSync(from: string, to: string): void
  chmodSync(path: string, mode: number): void
  /** fsync of every file and folder named, overlapping; resolves when all are on disk. */
  syncAll(paths: readonly string[]): Promise<void>
}

/** The file system of this machine. */
export const realDisk: Disk = {
  openSync,
  closeSync,
  readSync,
  writeSync,
  fsyncSync,
  fchmodSync,
  fchownSync,
  fstatSync: (fd) => fstatSync(fd),
  lstatSync: (path) => lstatSync(path),
  statSync: (path) => statSync(path),
  realpathSync: (path) => realpathSync.native(path),
  readlinkSync: (path) => readlinkSync(path),
  readdirSync: (path) => readdirSync(path),
  readFileSync: (path) => readFileSync(path),
  mkdirSync: (path, mode) => void mkdirSync(path, mode === undefined ? {} : { mode }),
  rmdirSync,
  unlinkSync,
  renameSync,
  linkSync,
  chmodSync,
  syncAll: (paths) => syncConcurrently(paths),
}

/** Keeps the thread pool and the device busy, and stays below any limit on open files. */
const MAX_CONCURRENT_SYNCS = 32

/** From so many files on, one call for the whole file system is faster than one for each. */
const MANY_FILES = 200

const syncConcurrently = async (paths: readonly string[]): Promise<void> => {
  if (paths.length >= MANY_FILES && (await isFileSystemSynced(paths))) return
  const waiting = [...paths]
  const work = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) await syncOne(path)
  }
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_SYNCS, paths.length) }, work))
}

/** Syncs the file systems that hold the paths. False where this system cannot, or not soon: other programs write there, too. */
const isFileSystemSynced = async (paths: readonly string[]): Promise<boolean> => {
  const { syncFileSystems } = await import('./sync-file-systems.ts')
  return await syncFileSystems([...new Map(paths.map((path) => [lstatSync(path).dev, path])).values()])
}

const syncOne = async (path: string): Promise<void> => {
  const handle = await promises.open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    if (!isSyncUnsupported(error)) throw error
  } finally {
    await handle.close()
  }
}

/** Writes all bytes; one call of the system may write fewer, for instance on a nearly full disk. */
export const writeAll = (disk: Disk, fd: number, bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length;) {
    const written = retryInterrupted(() => disk.writeSync(fd, bytes, done, bytes.length - done))
    if (written <= 0) throw Object.assign(new Error('the system wrote nothing'), { code: 'ENOSPC' })
    done += written
  }
}

/** Reads a file to its end, at most `limit` + 1 bytes, also where it grows meanwhile. */
export const readAll = (disk: Disk, fd: number, limit: number): Buffer => {
  const size = disk.fstatSync(fd).size
  const parts: Buffer[] = []
  for (let total = 0; total <= limit;) {
    const part = Buffer.allocUnsafe(Math.min(Math.max(size - total, 0) + 1, limit + 1 - total))
    const read = retryInterrupted(() => disk.readSync(fd, part, 0, part.length, null))
    if (read === 0) break
    parts.push(part.subarray(0, read))
    total += read
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

/** Repeats a call that a signal interrupted before it did anything. */
export const retryInterrupted = <T>(call: () => T): T => {
  for (;;) {
    try {
      return call()
    } catch (error) {
      if (!isErrno(error, 'EINTR')) throw error
    }
  }
}

/** Syncs one file or folder. Throws STATE_*. */
export const syncPath = (disk: Disk, path: string): void =>
  withDiskErrors('sync', path, () => {
    const fd = retryInterrupted(() => disk.openSync(path, constants.O_RDONLY))
    try {
      retryInterrupted(() => disk.fsyncSync(fd))
    } catch (error) {
      if (!isSyncUnsupported(error)) throw error
    } finally {
      disk.closeSync(fd)
    }
  })

/** Whether a path exists; a dangling link does. @throws STATE_* */
export const pathExists = (disk: Disk, path: string): boolean => {
  try {
    disk.lstatSync(path)
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false
    throw diskError(error, 'inspect', path)
  }
}
