import { lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isCacheFolderSafe, isOwnedByUser } from '../../platform/private-folder.ts'
import type { KnownBundle } from '../bundle-facts.ts'
import type { LoadedRegistry } from '../loaded-registry.ts'
import { STAMP_LENGTH, type TrackedStats } from './file-stamp.ts'
import { encodeSnapshot, type Sections, SnapshotFile, writeSnapshotFile } from './snapshot-file.ts'
import { readLoadedRegistry, registrySections } from './snapshot-registry.ts'
import { RECENT_MS } from './stat-tracker.ts'

/** Where the snapshot of a load is stored, and what that load depends on. */
export interface SnapshotLocation {
  /** Folder of all snapshots, in the cache. */
  readonly folder: string
  /** Everything a load depends on besides the disk, as text. */
  readonly key: string
}

/** A load with the stats of everything it read. */
export interface CachedLoad {
  readonly loaded: LoadedRegistry
  readonly stats: TrackedStats
  /** Digests of bundles that need consent. */
  readonly bundles: readonly KnownBundle[]
  /** Closes the snapshot that `loaded` reads from. */
  readonly close?: () => void
}

/**
 * The last load for this key, whether or not its files are unchanged. Null where there is none, or where the folder does
 * not belong to this user alone: whoever can write there could make anything active.
 */
export const readSnapshot = (location: SnapshotLocation): CachedLoad | null => {
  try {
    if (!isCacheFolderSafe({ lstatSync }, dirname(location.folder), location.folder)) return null
    const file = SnapshotFile.open(snapshotPath(location), location.key, isOwnedByUser)
    const stats = file === null ? null : readStatSections(file)
    if (file === null || stats === null) return null
    return {
      loaded: readLoadedRegistry(file),
      stats,
      bundles: file.json('bundles') as readonly KnownBundle[],
      close: () => file.close(),
    }
  } catch {
    return null
  }
}

/** With fewer files a load costs less than its snapshot. */
const MIN_TRACKED_PATHS = 64

/**
 * Writes a load for the next process, after the callers of the load had their turn. A snapshot that cannot be written is
 * left out: the cache only saves time.
 */
export const writeSnapshot = async (
  location: SnapshotLocation,
  load: CachedLoad,
  bases: readonly string[],
): Promise<void> => {
  if (load.stats.paths.length < MIN_TRACKED_PATHS) return
  try {
    await nextTurn()
    mkdirSync(location.folder, { recursive: true, mode: 0o700 })
    if (!isCacheFolderSafe({ lstatSync }, dirname(location.folder), location.folder)) return
    const { hot, cold } = registrySections(load.loaded)
    const stats: Sections = [...statSections(load.stats, bases), ['bundles', JSON.stringify(load.bundles)]]
    await writeSnapshotFile(snapshotPath(location), encodeSnapshot(location.key, { hot: [...stats, ...hot], cold }))
  } catch {
    // Read-only, full or deleted: the next process reads everything itself.
  }
}

/**
 * An unchanged load, in which a path that is no longer recent is judged by its stamp alone from now on. The same object
 * when nothing is different.
 */
export const withoutOlderChanges = (load: CachedLoad, now: number): CachedLoad => {
  const { paths, stamps, links, recentlyChanged } = load.stats
  const recent = [...recentlyChanged].filter(
    ([at]) => Math.max(stamps[at * STAMP_LENGTH + 2] ?? 0, stamps[at * STAMP_LENGTH + 3] ?? 0) > now - RECENT_MS,
  )
  if (recent.length === recentlyChanged.size) return load
  return { ...load, stats: { paths, stamps, links, recentlyChanged: new Map(recent) } }
}

const snapshotPath = ({ folder, key }: SnapshotLocation): string => `${folder}/${hashKey(key)}.snapshot`

/** A file name that is rarely that of another key; the key stored in the file decides. Cheaper than loading a digest. */
const hashKey = (key: string): string => {
  let [a, b] = [0x811c9dc5, 0x1000193]
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
  }
  return `${(a >>> 0).toString(16).padStart(8, '0')}${(b >>> 0).toString(16).padStart(8, '0')}`
}

/** Tracked stats as sections. Most paths lie below a few folders, so each path starts with the number of its base folder. */
const statSections = (stats: TrackedStats, bases: readonly string[]): Sections => [
  ['bases', JSON.stringify(bases)],
  ['paths', stats.paths.map((path) => shortenPath(path, bases)).join('\0')],
  ['stamps', Buffer.from(Float64Array.from(stats.stamps).buffer)],
  ['recentlyChanged', JSON.stringify([...stats.recentlyChanged])],
  ['links', JSON.stringify([...stats.links])],
]

/** The inverse; null when the sections contradict each other. */
const readStatSections = (file: SnapshotFile): TrackedStats | null => {
  const bases = file.json('bases') as readonly string[]
  const stamps = file.bytes('stamps')
  const paths = file
    .bytes('paths')
    .toString('utf8')
    .split('\0')
    .map((path) => expandPath(path, bases))
  if (stamps.length !== paths.length * STAMP_LENGTH * Float64Array.BYTES_PER_ELEMENT) return null
  return {
    paths,
    stamps: new Float64Array(stamps.buffer.slice(stamps.byteOffset, stamps.byteOffset + stamps.length)),
    recentlyChanged: new Map(file.json('recentlyChanged') as [number, string | null][]),
    links: new Map(file.json('links') as [string, string | null][]),
  }
}

const shortenPath = (path: string, bases: readonly string[]): string => {
  const at = bases.findIndex((base) => path.startsWith(`${base}/`))
  return at === -1 ? `-${path}` : `${at}${path.slice((bases[at] ?? '').length)}`
}

const expandPath = (path: string, bases: readonly string[]): string => {
  const rest = path.slice(1)
  return path.startsWith('-') ? rest : `${bases[path.charCodeAt(0) - ZERO] ?? ''}${rest}`
}

const ZERO = '0'.charCodeAt(0)
