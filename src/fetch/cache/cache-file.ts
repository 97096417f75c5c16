import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { removeTree } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { checkCacheFolder, ensureCacheFolder, isCacheFolderSafe } from '../../platform/private-folder.ts'

/** A file of the cache. */
export interface CachePath {
  /** The cache's own folder. */
  readonly cache: string
  readonly file: string
}

/** A name that no other process uses. */
export const temporaryName = (): string => `${process.pid}-${randomBytes(6).toString('hex')}`

/** Whether {@link temporaryName} makes such names. */
export const isTemporaryName = (name: string): boolean => /^\d{1,10}-[0-9a-f]{12}$/.test(name)

/** Writes a file of the cache, whole or not at all. Nothing is synced: a cache may be lost. @throws STATE_* */
export const writeCacheFile = (disk: Disk, { cache, file }: CachePath, bytes: Buffer): void => {
  ensureCacheFolder(disk, cache, dirname(file))
  withDiskErrors('write', file, () => {
    removeLink(disk, file)
    writeFileAtomic.sync(file, bytes, { mode: 0o600, fsync: false })
  })
}

/** `write-file-atomic` would replace the target of a link. */
const removeLink = (disk: Disk, file: string): void => {
  try {
    if (!disk.lstatSync(file).isSymbolicLink()) return
  } catch {
    return
  }
  disk.unlinkSync(file)
}

/**
 * The same without errors, for files that only save work. A hash is stored in front, because a power cut may lose bytes of
 * a file and keep its name.
 * @throws STATE_CACHE_UNSAFE
 */
export const tryWriteChecked = (disk: Disk, at: CachePath, bytes: Buffer): void => {
  checkCacheFolder(disk, at.cache, dirname(at.file))
  try {
    writeCacheFile(disk, at, Buffer.concat([checksumLine(bytes), bytes]))
  } catch {
    // It is fetched again.
  }
}

/** What {@link tryWriteChecked} wrote, or null where it is missing or damaged. @throws STATE_CACHE_UNSAFE */
export const readChecked = (disk: Disk, { cache, file }: CachePath): Buffer | null => {
  checkCacheFolder(disk, cache, dirname(file))
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

/** A folder of the cache that holds temporary files and folders. */
export interface TemporariesFolder {
  readonly cache: string
  readonly folder: string
  /** In front of their {@link temporaryName}. */
  readonly prefix?: string
}

/**
 * Deletes what killed processes left in a folder of temporary files: only what has a name of our own form, and nothing
 * where the folder is not this user's. Never throws.
 */
export const removeStaleTemporaries = (disk: Disk, { cache, folder, prefix = '' }: TemporariesFolder): void => {
  if (!isCacheFolderSafe(disk, cache, folder)) return
  const isTemporary = (name: string): boolean => name.startsWith(prefix) && isTemporaryName(name.slice(prefix.length))
  try {
    for (const name of disk.readdirSync(folder)) {
      const path = join(folder, name)
      if (isTemporary(name) && Date.now() - disk.lstatSync(path).mtimeMs > STALE_AFTER_MS) removeTree(disk, path)
    }
  } catch {
    // The folder does not exist, or another process cleans up too.
  }
}
