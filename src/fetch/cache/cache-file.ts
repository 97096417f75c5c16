import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { ensureFolder, removeTree } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'

/** A name that no other process uses. */
export const temporaryName = (): string => `${process.pid}-${randomBytes(6).toString('hex')}`

/** Writes a file of the cache, whole or not at all. Nothing is synced: a cache may be lost. @throws STATE_* */
export const writeCacheFile = (disk: Disk, file: string, bytes: Buffer): void => {
  ensureFolder(disk, dirname(file))
  withDiskErrors('write', file, () => writeFileAtomic.sync(file, bytes, { mode: 0o600, fsync: false }))
}

/**
 * The same without errors, for files that only save work. A hash is stored in front, because a power cut may lose bytes of
 * a file and keep its name.
 */
export const tryWriteChecked = (disk: Disk, file: string, bytes: Buffer): void => {
  try {
    writeCacheFile(disk, file, Buffer.concat([checksumLine(bytes), bytes]))
  } catch {
    // It is fetched again.
  }
}

/** What {@link tryWriteChecked} wrote, or null where it is missing or damaged. */
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

/** Milliseconds. No fetch takes this long, so older files are leftovers of a dead process. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000

/** Deletes what killed processes left in a folder of temporary files. Never throws. */
export const removeStaleTemporaries = (
  disk: Disk,
  folder: string,
  isTemporary = (_name: string): boolean => true,
): void => {
  try {
    for (const name of disk.readdirSync(folder)) {
      const path = join(folder, name)
      if (isTemporary(name) && Date.now() - disk.lstatSync(path).mtimeMs > STALE_AFTER_MS) removeTree(disk, path)
    }
  } catch {
    // The folder does not exist, or another process cleans up too.
  }
}
