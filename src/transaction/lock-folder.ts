import { join } from 'node:path'
import type { ProcessIdentity } from '../context.ts'
import { errnoOf } from '../errors.ts'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { hasEnded, livenessOf, type Liveness } from '../platform/process-liveness.ts'
import { removeEntryFile, entryOwner, isEntryName, readEntry, temporaryOwner, fileSystemTime } from './lock-entry.ts'

/** A live entry of another process; its identity is null where it cannot be read. */
export interface LockHolder {
  readonly name: string
  readonly identity: ProcessIdentity | null
}

export interface LockFolder {
  /** Live entries of others, smallest name first. Dead ones are taken away on the way. */
  readonly otherHolders: () => LockHolder[]
  /** Takes away what processes left that died before their entry was complete. */
  readonly removeDeadEntries: () => void
}

/** Silence after which a process that we cannot look up counts as gone, in milliseconds. */
export const SILENCE_LIMIT_MS = 60_000
/**
 * How long its silence must have been watched as well: the time of a file alone would be taken for silence when a clock
 * jumps, or a machine wakes from sleep.
 */
export const MIN_WATCH_MS = 6_000

/** The entries of a lock folder as one process sees them over time. Its methods throw errors of the system. */
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
 * Whether somebody holds or wants the lock, as far as can be told by looking once. For readers, who take nothing away: a
 * process that cannot be looked up counts as live, and so does one whose entry cannot be read.
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

/** An entry may have lost its content with the power. */
const livenessByName = (name: string, self: ProcessIdentity): Liveness => {
  const owner = entryOwner(name)
  return owner !== null && hasEnded(owner.pid, owner.pidScope, self) ? 'dead' : 'unknown'
}

/** Judges processes that we cannot look up, by the time of their file: see {@link SILENCE_LIMIT_MS} and {@link MIN_WATCH_MS}. */
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
