import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { readAll, syncPath, writeAll } from '../platform/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../platform/folders.ts'
import type { ProcessIdentity } from '../platform/identity.ts'
import { parseIdentity, pidScopeOf } from '../platform/identity.ts'

/** The entry of this process in a lock folder. */
export interface HeldLockEntry {
  /** Folders that were created for the lock folder, outermost first. */
  readonly createdFolders: readonly string[]
  /** Changes the mtime of the file: shows processes that cannot see our pid that we are alive. */
  readonly touch: () => void
  readonly remove: () => void
}

/** The entry of another process. The identity is null where it cannot be read or is incomplete. */
export interface LockEntry {
  readonly identity: ProcessIdentity | null
  /** Last touch, by the clock of the file system, in milliseconds. */
  readonly touchedAt: number
}

/** Time in base 36, pid, pid scope, random: the process that waits longest has the smallest name. */
export const newEntryName = (identity: ProcessIdentity, now: number): string => {
  const time = Math.max(0, Math.trunc(now)).toString(36).padStart(9, '0')
  return `${time}-${identity.pid}-${pidScopeOf(identity)}-${randomBytes(6).toString('hex')}`
}

const ENTRY_NAME = /^[0-9a-z]{9,}-(\d{1,10})-([0-9a-f]{16})-[0-9a-f]{12}$/
const TEMPORARY_PREFIX = '.new-'

export const isEntryName = (name: string): boolean => ENTRY_NAME.test(name)

/** The process of an entry, as its name says. */
export interface LockEntryOwner {
  readonly pid: number
  readonly pidScope: string
}

/** The process of an entry; null for any other name. */
export const entryOwner = (name: string): LockEntryOwner | null => {
  const [, pid, pidScope] = ENTRY_NAME.exec(name) ?? []
  return pid === undefined || pidScope === undefined ? null : { pid: Number(pid), pidScope }
}

/** The process of an entry that is not complete yet; null for any other name. */
export const temporaryOwner = (name: string): LockEntryOwner | null =>
  name.startsWith(TEMPORARY_PREFIX) ? entryOwner(name.slice(TEMPORARY_PREFIX.length)) : null

/** Creates an entry in one step: it is written under another name, then linked. Throws errors of the system. */
export const createLockEntry = (disk: Disk, folder: string, name: string, identity: ProcessIdentity): HeldLockEntry => {
  const createdFolders: string[] = []
  // A process that releases the lock removes empty folders, perhaps after we created them and before our file is in them.
  for (let attempt = 1; ; attempt += 1) {
    try {
      createdFolders.push(...ensureFolder(disk, folder))
      // The lock folder is temporary. The folders above it stay; if they were lost with the power, so would their content.
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

/** Null when the entry no longer exists. Throws errors of the system. */
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

/** The current time of the file system of a folder, whose clock may differ from ours. */
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

/** Names are unique, so this cannot remove the entry of another process. */
export const removeEntryFile = (disk: Disk, file: string): void => {
  try {
    disk.unlinkSync(file)
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}
