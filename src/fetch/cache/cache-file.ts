import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeAll } from '../../platform/disk.ts'
import { ensureFolder, removeTree } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'

/** A name beside which no other process makes one. */
export const temporaryName = (): string => `${process.pid}-${randomBytes(6).toString('hex')}`

/** Writes a file of the cache, whole or not at all. Nothing is synced: a cache may be lost. @throws STATE_* */
export const writeCacheFile = (disk: Disk, file: string, bytes: Buffer): void => {
  ensureFolder(disk, dirname(file))
  withDiskErrors('write', file, () => writeFileAtomic.sync(file, bytes, { mode: 0o600, fsync: false }))
}

/**
 * The same for what only saves work: a cache that cannot be written is no reason to fail. With a hash before it, since the
 * power may take bytes of a file and leave its name.
 */
export const tryWriteChecked = (disk: Disk, file: string, bytes: Buffer): void => {
  try {
    writeCacheFile(disk, file, Buffer.concat([checksumLine(bytes), bytes]))
  } catch {
    // It will be asked for again.
  }
}

/** What {@link tryWriteChecked} kept, or null where it is not there or not whole. */
export const readChecked = (disk: Disk, file: string): Buffer | null => {
  try {
    if (!disk.lstatSync(file).isFile()) return null
    const kept = disk.readFileSync(file)
    const bytes = kept.subarray(kept.indexOf('\n') + 1)
    return checksumLine(bytes).equals(kept.subarray(0, kept.length - bytes.length)) ? bytes : null
  } catch {
    return null
  }
}

const checksumLine = (bytes: Uint8Array): Buffer => Buffer.from(`${sha512Hex(bytes)}\n`)

/** Milliseconds. No fetch takes as long, so what is older was left by a process that is gone. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000

/** Takes out of a folder of passing files what killed processes left there. Never throws. */
export const removeStaleTemporaries = (
  disk: Disk,
  folder: string,
  isPassing = (_name: string): boolean => true,
): void => {
  try {
    for (const name of disk.readdirSync(folder)) {
      const path = join(folder, name)
      if (isPassing(name) && Date.now() - disk.lstatSync(path).mtimeMs > STALE_AFTER_MS) removeTree(disk, path)
    }
  } catch {
    // Another process sweeps too, or the folder is not there.
  }
}
