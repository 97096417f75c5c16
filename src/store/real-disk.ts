import * as fs from 'node:fs'
import { isUnsyncable } from './disk-error.ts'
import type { Disk } from './disk.ts'

/** The file system of this machine. */
export const realDisk: Disk = {
  openSync: fs.openSync,
  closeSync: fs.closeSync,
  readSync: fs.readSync,
  writeSync: fs.writeSync,
  fsyncSync: fs.fsyncSync,
  fchmodSync: fs.fchmodSync,
  fchownSync: fs.fchownSync,
  fstatSync: (fd) => fs.fstatSync(fd),
  lstatSync: (path) => fs.lstatSync(path),
  statSync: (path) => fs.statSync(path),
  realpathSync: (path) => fs.realpathSync.native(path),
  readlinkSync: (path) => fs.readlinkSync(path),
  readdirSync: (path) => fs.readdirSync(path),
  readFileSync: (path) => fs.readFileSync(path),
  mkdirSync: (path, mode) => void fs.mkdirSync(path, mode === undefined ? {} : { mode }),
  rmdirSync: fs.rmdirSync,
  unlinkSync: fs.unlinkSync,
  renameSync: fs.renameSync,
  linkSync: fs.linkSync,
  chmodSync: fs.chmodSync,
  syncAll: (paths) => syncOverlapping(paths),
}

/** Enough to keep the thread pool and the device busy, few enough for any limit on open files. */
const OVERLAP = 32

const syncOverlapping = async (paths: readonly string[]): Promise<void> => {
  const waiting = [...paths]
  const work = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) await syncOne(path)
  }
  await Promise.all(Array.from({ length: Math.min(OVERLAP, paths.length) }, work))
}

/** One worker that fails must not leave others writing after the caller went on: each finishes its own file first. */
const syncOne = async (path: string): Promise<void> => {
  const handle = await fs.promises.open(path, fs.constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    if (!isUnsyncable(error)) throw error
  } finally {
    await handle.close()
  }
}
