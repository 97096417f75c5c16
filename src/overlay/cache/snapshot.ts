import { lstatSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setImmediate as later } from 'node:timers/promises'
import type { KnownBundle } from '../bundle-facts.ts'
import type { LoadedRegistry } from '../loaded-registry.ts'
import { STAMP_LENGTH, type TrackedStats } from './file-stamp.ts'
import { isOwnedByUser, type Sections, encodeSnapshot, SnapshotFile, writeSnapshotFile } from './snapshot-file.ts'
import { readLoadedRegistry, registrySections } from './snapshot-registry.ts'
import { jsonSection, statSections, readStatSections } from './snapshot-stats.ts'
import { RECENT_MS } from './stat-tracker.ts'

/** Where a snapshot is kept, and of what. */
export interface SnapshotLocation {
  /** Folder of all snapshots, in the cache. */
  readonly folder: string
  /** Everything a load depends on beside the disk, as text. */
  readonly key: string
}

/** A load that can be judged by looking again. */
export interface CachedLoad {
  readonly loaded: LoadedRegistry
  readonly stats: TrackedStats
  /** Digests of bundles that need consent. */
  readonly bundles: readonly KnownBundle[]
  /** Lets go of what the world would be read from. */
  readonly close?: () => void
}

/**
 * The last load for this key, whether it still holds or not. Null where there is none, or the folder is not this user's
 * own: whoever can write there could make anything active.
 */
export const readSnapshot = (place: SnapshotLocation): CachedLoad | null => {
  try {
    if (!isOwnedByUser(lstatSync(place.folder))) return null
    const file = SnapshotFile.open(snapshotPath(place), place.key, isOwnedByUser)
    const stats = file === null ? null : readStatSections(file)
    if (file === null || stats === null) return null
    return {
      loaded: readLoadedRegistry(file),
      stats,
      bundles: file.json('trees') as readonly KnownBundle[],
      close: () => file.close(),
    }
  } catch {
    return null
  }
}

/** Below this a load is cheaper than keeping it. */
const MIN_TRACKED_PATHS = 64

/**
 * Keeps a load for the next process, after everything that waits for it had its turn. What cannot be kept is not: the
 * cache is only ever a saving.
 */
export const writeSnapshot = async (
  place: SnapshotLocation,
  load: CachedLoad,
  bases: readonly string[],
): Promise<void> => {
  if (load.stats.paths.length < MIN_TRACKED_PATHS) return
  try {
    await later()
    await mkdir(place.folder, { recursive: true, mode: 0o700 })
    if (!isOwnedByUser(lstatSync(place.folder))) return
    const { hot, cold } = registrySections(load.loaded)
    const sights: Sections = [...statSections(load.stats, bases), ['trees', jsonSection(load.bundles)]]
    await writeSnapshotFile(snapshotPath(place), encodeSnapshot(place.key, { hot: [...sights, ...hot], cold }))
  } catch {
    // Read-only, full, or gone: the next process looks for itself.
  }
}

/** What is still too young to be judged by its marks, now that all of it was seen to hold what it held. */
export const stillRecent = ({ recentlyChanged, stamps }: TrackedStats, now: number): Map<number, string | null> =>
  new Map(
    [...recentlyChanged].filter(
      ([at]) => Math.max(stamps[at * STAMP_LENGTH + 2] ?? 0, stamps[at * STAMP_LENGTH + 3] ?? 0) > now - RECENT_MS,
    ),
  )

const snapshotPath = ({ folder, key }: SnapshotLocation): string => `${folder}/${hashKey(key)}.snapshot`

/** A name that is hardly ever that of another key; the key in the file decides. */
const hashKey = (key: string): string => {
  let [a, b] = [0x811c9dc5, 0x1000193]
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
  }
  return `${(a >>> 0).toString(16).padStart(8, '0')}${(b >>> 0).toString(16).padStart(8, '0')}`
}
