import { join } from 'node:path'
import { errnoOf } from '../errors.ts'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import type { ProcessIdentity } from '../platform/identity.ts'
import { hasEnded, type Liveness, livenessOf } from '../platform/identity.ts'
import { entryOwner, fileSystemTime, isEntryName, readEntry, removeEntryFile, temporaryOwner } from './lock-entry.ts'

/** Another live process with an entry; the identity is null where it cannot be read. */
export interface LockHolder {
  readonly name: string
  readonly identity: ProcessIdentity | null
}

export interface LockFolder {
  /** Other live processes, smallest name first. Removes the entries of dead ones. */
  readonly otherHolders: () => LockHolder[]
  /** Removes incomplete entries of dead processes. */
  readonly removeDeadEntries: () => void
}

/** Time without a touch after which a process whose pid we cannot check counts as dead, in milliseconds. */
export const SILENCE_LIMIT_MS = 60_000
/**
 * For so long we must also have watched the entry: by its mtime alone, a clock that jumps or a machine that wakes from
 * sleep would look like silence.
 */
export const MIN_WATCH_MS = 6_000

/** The entries of a lock folder, as one process observes them over time. Methods throw errors of the system. */
export const openLockFolder = (disk: Disk, folder: string, self: ProcessIdentity, own: string): LockFolder => {
  const isSilent = silenceTracker()
  const stat = (name: string): LockHolder | 'dead' | 'withdrawn' => {
    const entry = readEntry(disk, join(folder, name))
    if (entry === null) return 'withdrawn'
    const { identity, touchedAt } = entry
    const life = identity === null ? livenessByName(name, self) : livenessOf(identity, self)
    const dead = life === 'unknown' ? isSilent(name, touchedAt, fileSystemTime(disk, folder, own)) : life === 'dead'
    return dead ? 'dead' : { name, identity }
  }
  const otherHolders = (): LockHolder[] => {
    const live: LockHolder[] = []
    for (const name of listEntryNames(disk, folder)) {
      if (!isEntryName(name) || name === own) continue
      const found = stat(name)
      if (found === 'dead') removeEntryFile(disk, join(folder, name))
      else if (found !== 'withdrawn') live.push(found)
    }
    return live
  }
  const removeDeadEntries = (): void => {
    for (const name of listEntryNames(disk, folder)) {
      const owner = temporaryOwner(name)
      if (owner !== null && hasEnded(owner.pid, owner.pidScope, self)) removeEntryFile(disk, join(folder, name))
    }
  }
  return { otherHolders, removeDeadEntries }
}

/**
 * Whether some process holds the lock or waits for it. For readers, which remove nothing: a process whose pid cannot be
 * checked counts as live, and so does one whose entry cannot be read.
 */
export const isLocked = (disk: Disk, folder: string, self: ProcessIdentity): boolean => {
  try {
    return listEntryNames(disk, folder)
      .filter(isEntryName)
      .some((name) => {
        const entry = readEntry(disk, join(folder, name))
        if (entry === null) return false
        return (entry.identity === null ? livenessByName(name, self) : livenessOf(entry.identity, self)) !== 'dead'
      })
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

/** By the name alone: the content of an entry may be lost after a power failure. */
const livenessByName = (name: string, self: ProcessIdentity): Liveness => {
  const owner = entryOwner(name)
  return owner !== null && hasEnded(owner.pid, owner.pidScope, self) ? 'dead' : 'unknown'
}

/** For processes whose pid cannot be checked; see {@link SILENCE_LIMIT_MS} and {@link MIN_WATCH_MS}. */
const silenceTracker = (): ((name: string, touched: number, now: number) => boolean) => {
  const seen = new Map<string, { readonly touched: number; readonly since: number }>()
  return (name, touched, now) => {
    const before = seen.get(name)
    const watch = performance.now()
    if (before === undefined || before.touched !== touched) {
      seen.set(name, { touched, since: watch })
      return false
    }
    const watched = watch - before.since
    return watched > SILENCE_LIMIT_MS || (watched > MIN_WATCH_MS && Math.abs(now - touched) > SILENCE_LIMIT_MS)
  }
}

const listEntryNames = (disk: Disk, folder: string): string[] => {
  try {
    return disk.readdirSync(folder).sort()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
