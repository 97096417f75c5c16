import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { ProcessIdentity } from '../context.ts'
import { GsdError } from '../errors.ts'
import { isErrno } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { ensureFolder, removeEmptyFolders } from './folders.ts'
import { readIdentity, realmOf } from './process-life.ts'
import { syncPath } from './sync-path.ts'
import { readAll, writeAll } from './write-all.ts'

/** What one process put into a lock folder to say that it is there. */
export interface Announcement {
  /** Folders that were missing on the way to the lock folder, outermost first. */
  readonly made: readonly string[]
  /** Shows that we still live to those who cannot see our pid: changes the time of the file. */
  readonly touch: () => void
  readonly withdraw: () => void
}

/** An entry of another process as it is now. The identity is null where it cannot be read, or is not complete. */
export interface Entry {
  readonly identity: ProcessIdentity | null
  /** Time of the last touch, by the clock of the file system, in milliseconds. */
  readonly touched: number
}

/** Time in base 36, pid, realm, randomness: the one who began to wait first has the smallest name. */
export const newEntryName = (identity: ProcessIdentity, now: number): string => {
  const time = Math.max(0, Math.trunc(now)).toString(36).padStart(9, '0')
  return `${time}-${identity.pid}-${realmOf(identity)}-${randomBytes(6).toString('hex')}`
}

const NAME = /^[0-9a-z]{9,}-(\d{1,10})-([0-9a-f]{16})-[0-9a-f]{12}$/
const TEMPORARY = '.new-'

export const isEntryName = (name: string): boolean => NAME.test(name)

/** What the name of an entry tells of its process. */
export interface Owner {
  readonly pid: number
  readonly realm: string
}

/** Whose entry it is, by its name alone; null for any other name. */
export const entryOwner = (name: string): Owner | null => {
  const [, pid, realm] = NAME.exec(name) ?? []
  return pid === undefined || realm === undefined ? null : { pid: Number(pid), realm }
}

/** Who began an entry and did not complete it; null for any other name. */
export const temporaryOwner = (name: string): Owner | null =>
  name.startsWith(TEMPORARY) ? entryOwner(name.slice(TEMPORARY.length)) : null

/** Puts a complete entry into the folder in one step: written under another name, then linked. Throws errors of the system. */
export const announce = (disk: Disk, folder: string, name: string, identity: ProcessIdentity): Announcement => {
  const made: string[] = []
  // Whoever leaves takes empty folders away; that may happen between our making them and our first file in them.
  for (let attempt = 1; ; attempt += 1) {
    try {
      made.push(...ensureFolder(disk, folder))
      // The lock comes and goes. What it stands in stays, and would take with it whatever is put there.
      for (const path of made) if (path !== folder) syncPath(disk, dirname(path))
      return { ...place(disk, folder, name, identity), made }
    } catch (error) {
      const reason = error instanceof GsdError ? error.cause : error
      if (isErrno(reason, 'ENOENT') && attempt < MOST_ATTEMPTS) continue
      removeEmptyFolders(disk, made)
      throw error
    }
  }
}

const MOST_ATTEMPTS = 100

const place = (disk: Disk, folder: string, name: string, identity: ProcessIdentity): Omit<Announcement, 'made'> => {
  const entry = join(folder, name)
  const temporary = join(folder, TEMPORARY + name)
  const { pid, start, boot, host, namespace, machine } = identity
  const fd = disk.openSync(temporary, 'wx', 0o644)
  try {
    writeAll(disk, fd, Buffer.from(`${JSON.stringify({ pid, start, boot, host, namespace, machine })}\n`))
    disk.linkSync(temporary, entry)
    disk.unlinkSync(temporary)
  } catch (error) {
    disk.closeSync(fd)
    for (const file of [temporary, entry]) drop(disk, file)
    throw error
  }
  return {
    touch: () => writeAll(disk, fd, Buffer.from('\n')),
    withdraw: () => {
      try {
        drop(disk, entry)
      } finally {
        disk.closeSync(fd)
      }
    },
  }
}

/** Null when the entry has been withdrawn. Throws errors of the system. */
export const readEntry = (disk: Disk, file: string): Entry | null => {
  try {
    const stats = disk.lstatSync(file)
    return { identity: stats.isFile() ? identityIn(disk, file) : null, touched: stats.mtimeMs }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}

const LONGEST_ENTRY = 64 * 1024

const identityIn = (disk: Disk, file: string): ProcessIdentity | null => {
  try {
    const fd = disk.openSync(file, 'r')
    try {
      return readIdentity(JSON.parse(readAll(disk, fd, LONGEST_ENTRY).toString('utf8')))
    } finally {
      disk.closeSync(fd)
    }
  } catch (error) {
    if (error instanceof SyntaxError || isErrno(error, 'EACCES', 'EPERM')) return null
    throw error
  }
}

/** What time it is for the file system that holds the folder; its clock need not be ours. */
export const timeOnDisk = (disk: Disk, folder: string, name: string): number => {
  const probe = join(folder, TEMPORARY + name)
  const fd = disk.openSync(probe, 'wx', 0o644)
  try {
    return disk.fstatSync(fd).mtimeMs
  } finally {
    disk.closeSync(fd)
    drop(disk, probe)
  }
}

/** Names are never used twice, so this cannot hit the entry of anybody else. */
export const drop = (disk: Disk, file: string): void => {
  try {
    disk.unlinkSync(file)
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}
