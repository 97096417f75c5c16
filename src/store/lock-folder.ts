import { join } from 'node:path'
import type { ProcessIdentity } from '../context.ts'
import { errnoOf } from '../errors.ts'
import { isErrno } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { drop, entryOwner, isEntryName, readEntry, temporaryOwner, timeOnDisk } from './lock-entry.ts'
import { hasEnded, lifeOf, type Life } from './process-life.ts'

/** A live entry of another process; its identity is null where it cannot be read. */
export interface Holder {
  readonly name: string
  readonly identity: ProcessIdentity | null
}

export interface LockFolder {
  /** Live entries of others, smallest name first. Dead ones are taken away on the way. */
  readonly others: () => Holder[]
  /** Takes away what processes left that died before their entry was complete. */
  readonly sweep: () => void
}

/** Silence after which a process that we cannot look up counts as gone, in milliseconds. */
export const SILENCE = 60_000
/**
 * How long its silence must have been watched as well: the time of a file alone would be taken for silence when a clock
 * jumps, or a machine wakes from sleep.
 */
export const WATCHED = 6_000

/** The entries of a lock folder as one process sees them over time. Its methods throw errors of the system. */
export const lockFolder = (disk: Disk, folder: string, self: ProcessIdentity, own: string): LockFolder => {
  const isSilent = silence()
  const look = (name: string): Holder | 'dead' | 'withdrawn' => {
    const entry = readEntry(disk, join(folder, name))
    if (entry === null) return 'withdrawn'
    const { identity, touched } = entry
    const life = identity === null ? lifeByName(name, self) : lifeOf(identity, self)
    const dead = life === 'unknown' ? isSilent(name, touched, timeOnDisk(disk, folder, own)) : life === 'dead'
    return dead ? 'dead' : { name, identity }
  }
  const others = (): Holder[] => {
    const live: Holder[] = []
    for (const name of namesIn(disk, folder)) {
      if (!isEntryName(name) || name === own) continue
      const found = look(name)
      if (found === 'dead') drop(disk, join(folder, name))
      else if (found !== 'withdrawn') live.push(found)
    }
    return live
  }
  const sweep = (): void => {
    for (const name of namesIn(disk, folder)) {
      const owner = temporaryOwner(name)
      if (owner !== null && hasEnded(owner.pid, owner.realm, self)) drop(disk, join(folder, name))
    }
  }
  return { others, sweep }
}

/**
 * Whether somebody holds or wants the lock, as far as can be told by looking once. For readers, who take nothing away: a
 * process that cannot be looked up counts as live, and so does one whose entry cannot be read.
 */
export const isHeld = (disk: Disk, folder: string, self: ProcessIdentity): boolean => {
  try {
    return namesIn(disk, folder)
      .filter(isEntryName)
      .some((name) => {
        const entry = readEntry(disk, join(folder, name))
        if (entry === null) return false
        return (entry.identity === null ? lifeByName(name, self) : lifeOf(entry.identity, self)) !== 'dead'
      })
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

/** An entry may have lost its content with the power. */
const lifeByName = (name: string, self: ProcessIdentity): Life => {
  const owner = entryOwner(name)
  return owner !== null && hasEnded(owner.pid, owner.realm, self) ? 'dead' : 'unknown'
}

/** Judges processes that we cannot look up, by the time of their file: see {@link SILENCE} and {@link WATCHED}. */
const silence = (): ((name: string, touched: number, now: number) => boolean) => {
  const seen = new Map<string, { readonly touched: number; readonly since: number }>()
  return (name, touched, now) => {
    const before = seen.get(name)
    const watch = performance.now()
    if (before === undefined || before.touched !== touched) {
      seen.set(name, { touched, since: watch })
      return false
    }
    const watched = watch - before.since
    return watched > SILENCE || (watched > WATCHED && Math.abs(now - touched) > SILENCE)
  }
}

const namesIn = (disk: Disk, folder: string): string[] => {
  try {
    return disk.readdirSync(folder).sort()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
