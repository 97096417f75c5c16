import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { ProcessIdentity } from '../context.ts'
import { GsdError } from '../errors.ts'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { readAll, writeAll } from '../platform/file-io.ts'
import { ensureFolder, removeEmptyFolders } from '../platform/folders.ts'
import { parseIdentity, pidScopeOf } from '../platform/process-liveness.ts'
import { syncPath } from '../platform/sync-path.ts'

/** What one process put into a lock folder to say that it is there. */
export interface HeldLockEntry {
  /** Folders that were missing on the way to the lock folder, outermost first. */
  readonly createdFolders: readonly string[]
  /** Shows that we still live to those who cannot see our pid: changes the time of the file. */
  readonly touch: () => void
  readonly remove: () => void
}

/** An entry of another process as it is now. The identity is null where it cannot be read, or is not complete. */
export interface LockEntry {
  readonly identity: ProcessIdentity | null
  /** Time of the last touch, by the clock of the file system, in milliseconds. */
  readonly touchedAt: number
}

/** Time in base 36, pid, realm, randomness: the one who began to wait first has the smallest name. */
export const newEntryName = (identity: ProcessIdentity, now: number): string => {
  const time = Math.max(0, Math.trunc(now)).toString(36).padStart(9, '0')
  return `${time}-${identity.pid}-${pidScopeOf(identity)}-${randomBytes(6).toString('hex')}`
}

const ENTRY_NAME = /^[0-9a-z]{9,}-(\d{1,10})-([0-9a-f]{16})-[0-9a-f]{12}$/
const TEMPORARY_PREFIX = '.new-'

export const isEntryName = (name: string): boolean => ENTRY_NAME.test(name)

/** What the name of an entry tells of its process. */
export interface LockEntryOwner {
  readonly pid: number
  readonly pidScope: string
}

/** Whose entry it is, by its name alone; null for any other name. */
export const entryOwner = (name: string): LockEntryOwner | null => {
  const [, pid, pidScope] = ENTRY_NAME.exec(name) ?? []
  return pid === undefined || pidScope === undefined ? null : { pid: Number(pid), pidScope }
}

/** Who began an entry and did not complete it; null for any other name. */
export const temporaryOwner = (name: string): LockEntryOwner | null =>
  name.startsWith(TEMPORARY_PREFIX) ? entryOwner(name.slice(TEMPORARY_PREFIX.length)) : null

/** Puts a complete entry into the folder in one step: written under another name, then linked. Throws errors of the system. */
export const createLockEntry = (disk: Disk, folder: string, name: string, identity: ProcessIdentity): HeldLockEntry => {
  const createdFolders: string[] = []
  // Whoever leaves takes empty folders away; that may happen between our making them and our first file in them.
  for (let attempt = 1; ; attempt += 1) {
    try {
      createdFolders.push(...ensureFolder(disk, folder))
      // The lock comes and goes. What it stands in stays, and would take with it whatever is put there.
      for (const path of createdFolders) if (path !== folder) syncPath(disk, dirname(path))
      return { ...writeEntry(disk, folder, name, identity), createdFolders }
    } catch (error) {
      const reason = error instanceof GsdError ? error.cause : error
      if (isErrno(reason, 'ENOENT') && attempt < MAX_ATTEMPTS) continue
      removeEmptyFolders(disk, createdFolders)
      throw error
    }
  }
}

const MAX_ATTEMPTS = 100

const writeEntry = (
  disk: Disk,
  folder: string,
  name: string,
  identity: ProcessIdentity,
): Omit<HeldLockEntry, 'createdFolders'> => {
  const entry = join(folder, name)
  const temporary = join(folder, TEMPORARY_PREFIX + name)
  const { pid, start, boot, host, namespace, machine } = identity
  const fd = disk.openSync(temporary, 'wx', 0o644)
  try {
    writeAll(disk, fd, Buffer.from(`${JSON.stringify({ pid, start, boot, host, namespace, machine })}\n`))
    disk.linkSync(temporary, entry)
    disk.unlinkSync(temporary)
  } catch (error) {
    disk.closeSync(fd)
    for (const file of [temporary, entry]) removeEntryFile(disk, file)
    throw error
  }
  return {
    touch: () => writeAll(disk, fd, Buffer.from('\n')),
    remove: () => {
      try {
        removeEntryFile(disk, entry)
      } finally {
        disk.closeSync(fd)
      }
    },
  }
}

/** Null when the entry has been withdrawn. Throws errors of the system. */
export const readEntry = (disk: Disk, file: string): LockEntry | null => {
  try {
    const stats = disk.lstatSync(file)
    return { identity: stats.isFile() ? readIdentityFile(disk, file) : null, touchedAt: stats.mtimeMs }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}

const MAX_ENTRY_BYTES = 64 * 1024

const readIdentityFile = (disk: Disk, file: string): ProcessIdentity | null => {
  try {
    const fd = disk.openSync(file, 'r')
    try {
      return parseIdentity(JSON.parse(readAll(disk, fd, MAX_ENTRY_BYTES).toString('utf8')))
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    if (error instanceof SyntaxError || isErrno(error, 'EACCES', 'EPERM')) return null
    throw error
  }
}

/** What time it is for the file system that holds the folder; its clock need not be ours. */
export const fileSystemTime = (disk: Disk, folder: string, name: string): number => {
  const probe = join(folder, TEMPORARY_PREFIX + name)
  const fd = disk.openSync(probe, 'wx', 0o644)
  try {
    return disk.fstatSync(fd).mtimeMs
  } finally {
    disk.closeSync(fd)
    removeEntryFile(disk, probe)
  }
}

/** Names are never used twice, so this cannot hit the entry of anybody else. */
export const removeEntryFile = (disk: Disk, file: string): void => {
  try {
    disk.unlinkSync(file)
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}
