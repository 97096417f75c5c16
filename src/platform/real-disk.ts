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
import { isSyncUnsupported } from './disk-error.ts'
import type { Disk } from './disk.ts'

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

/** Enough to keep the thread pool and the device busy, few enough for any limit on open files. */
const MAX_CONCURRENT_SYNCS = 32

const syncConcurrently = async (paths: readonly string[]): Promise<void> => {
  const waiting = [...paths]
  const work = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) await syncOne(path)
  }
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_SYNCS, paths.length) }, work))
}

/** One worker that fails must not leave others writing after the caller went on: each finishes its own file first. */
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
