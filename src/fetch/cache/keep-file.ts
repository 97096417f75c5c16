import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder } from '../../store/folders.ts'
import { writeAll } from '../../store/write-all.ts'

/** A name beside which no other process makes one. */
export const passingName = (): string => `${process.pid}-${randomBytes(6).toString('hex')}`

/** Puts a file into the cache, whole or not at all. Nothing is synced: a cache may be lost. @throws STATE_* */
export const keepFile = (disk: Disk, file: string, bytes: Uint8Array): void => {
  ensureFolder(disk, dirname(file))
  const passing = join(dirname(file), `.${basename(file)}.${passingName()}`)
  onDisk('write', passing, () => {
    const fd = disk.openSync(passing, 'wx', 0o600)
    try {
      writeAll(disk, fd, bytes)
    } finally {
      disk.closeSync(fd)
    }
    disk.renameSync(passing, file)
  })
}

/** The same for what only saves work: a cache that cannot be written is no reason to fail. */
export const tryToKeep = (disk: Disk, file: string, bytes: Uint8Array): void => {
  try {
    keepFile(disk, file, bytes)
  } catch {
    // It will be asked for again.
  }
}

/** A file of the cache, or null where it is not there or cannot be read. */
export const readKept = (disk: Disk, file: string): Buffer | null => {
  try {
    return disk.lstatSync(file).isFile() ? disk.readFileSync(file) : null
  } catch {
    return null
  }
}
