import { lstatSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setImmediate as later } from 'node:timers/promises'
import { MARKS, type Sights } from './look.ts'
import { isOwn, type Sections, snapshotParts, SnapshotFile, writeSnapshotFile } from './snapshot-file.ts'
import { json, sightSections, sightsIn } from './snapshot-sights.ts'
import { worldIn, worldSections } from './snapshot-world.ts'
import type { Tree } from './tree-facts.ts'
import { YOUNG } from './witness.ts'
import type { World } from './world.ts'

/** Where a snapshot is kept, and of what. */
export interface SnapshotPlace {
  /** Folder of all snapshots, in the cache. */
  readonly folder: string
  /** Everything a load depends on beside the disk, as text. */
  readonly key: string
}

/** A load that can be judged by looking again. */
export interface KeptLoad {
  readonly world: World
  readonly sights: Sights
  /** Digests of bundles that need consent. */
  readonly trees: readonly Tree[]
  /** Lets go of what the world would be read from. */
  readonly close?: () => void
}

/**
 * The last load for this key, whether it still holds or not. Null where there is none, or the folder is not this user's
 * own: whoever can write there could make anything active.
 */
export const readSnapshot = (place: SnapshotPlace): KeptLoad | null => {
  try {
    if (!isOwn(lstatSync(place.folder))) return null
    const file = SnapshotFile.open(fileIn(place), place.key, isOwn)
    const sights = file === null ? null : sightsIn(file)
    if (file === null || sights === null) return null
    return {
      world: worldIn(file),
      sights,
      trees: file.json('trees') as readonly Tree[],
      close: () => file.close(),
    }
  } catch {
    return null
  }
}

/** Below this a load is cheaper than keeping it. */
const FEWEST_SIGHTS = 64

/**
 * Keeps a load for the next process, after everything that waits for it had its turn. What cannot be kept is not: the
 * cache is only ever a saving.
 */
export const writeSnapshot = async (place: SnapshotPlace, load: KeptLoad, bases: readonly string[]): Promise<void> => {
  if (load.sights.paths.length < FEWEST_SIGHTS) return
  try {
    await later()
    await mkdir(place.folder, { recursive: true, mode: 0o700 })
    if (!isOwn(lstatSync(place.folder))) return
    const { hot, cold } = worldSections(load.world)
    const sights: Sections = [...sightSections(load.sights, bases), ['trees', json(load.trees)]]
    await writeSnapshotFile(fileIn(place), snapshotParts(place.key, { hot: [...sights, ...hot], cold }))
  } catch {
    // Read-only, full, or gone: the next process looks for itself.
  }
}

/** What is still too young to be judged by its marks, now that all of it was seen to hold what it held. */
export const stillYoung = ({ young, marks }: Sights, now: number): Map<number, string | null> =>
  new Map([...young].filter(([at]) => Math.max(marks[at * MARKS + 2] ?? 0, marks[at * MARKS + 3] ?? 0) > now - YOUNG))

const fileIn = ({ folder, key }: SnapshotPlace): string => `${folder}/${nameFor(key)}.snapshot`

/** A name that is hardly ever that of another key; the key in the file decides. */
const nameFor = (key: string): string => {
  let [a, b] = [0x811c9dc5, 0x1000193]
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
  }
  return `${(a >>> 0).toString(16).padStart(8, '0')}${(b >>> 0).toString(16).padStart(8, '0')}`
}
