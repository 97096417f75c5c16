import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder } from '../../store/folders.ts'
import { hashOf } from '../../store/hash.ts'
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

/**
 * The same for what only saves work: a cache that cannot be written is no reason to fail. With a hash before it, since the
 * power may take bytes of a file and leave its name.
 */
export const tryToKeep = (disk: Disk, file: string, bytes: Uint8Array): void => {
  try {
    keepFile(disk, file, Buffer.concat([sealOf(bytes), bytes]))
  } catch {
    // It will be asked for again.
  }
}

/** What {@link tryToKeep} kept, or null where it is not there or not whole. */
export const readKept = (disk: Disk, file: string): Buffer | null => {
  try {
    if (!disk.lstatSync(file).isFile()) return null
    const kept = disk.readFileSync(file)
    const bytes = kept.subarray(kept.indexOf('\n') + 1)
    return sealOf(bytes).equals(kept.subarray(0, kept.length - bytes.length)) ? bytes : null
  } catch {
    return null
  }
}

const sealOf = (bytes: Uint8Array): Buffer => Buffer.from(`${hashOf(bytes)}\n`)
