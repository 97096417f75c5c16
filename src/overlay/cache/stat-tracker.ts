import { type Dirent, readdirSync, type Stats } from 'node:fs'
import {
  readContent,
  hashContent,
  hashEntries,
  type LstatResult,
  lstatOrErrno,
  stampsUnchanged,
  STAMP_LENGTH,
  appendStamp,
  realpathOrNull,
  type TrackedStats,
} from './file-stamp.ts'

/** Below this age, in milliseconds, a later change can leave the stats as they are (one tick of the clock). */
export const RECENT_MS = 2000

/** Reads the disk for a load, and remembers everything it looked at. Links are never followed unasked. */
export class StatTracker implements TrackedStats {
  readonly paths: string[] = []
  readonly stamps: number[] = []
  readonly recentlyChanged = new Map<number, string | null>()
  readonly links = new Map<string, string | null>()
  readonly #now: number

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now
  }

  lstat(path: string): LstatResult {
    return this.record(path, lstatOrErrno(path))
  }

  /** Remembers what a path looked like. */
  record(path: string, stat: LstatResult): LstatResult {
    appendStamp(this.stamps, stat)
    const at = this.paths.push(path) - 1
    if (typeof stat !== 'string' && isRecent(stat, this.#now)) this.recentlyChanged.set(at, null)
    return stat
  }

  /**
   * Content of a regular file that was looked at last. The bytes are good until the next call. Throws errors of the system.
   */
  read(path: string, size: number): Buffer {
    const content = readContent(path, size)
    this.#recordContent(path, () => hashContent(content))
    return content
  }

  /** Entries of a folder that was looked at last. Throws errors of the system. */
  list(path: string): Dirent[] {
    const entries = readdirSync(path, { withFileTypes: true })
    this.#recordContent(path, () => hashEntries(entries))
    return entries
  }

  /** Where a link leads; null where that is nowhere. */
  realpath(path: string): string | null {
    const target = realpathOrNull(path)
    this.links.set(path, target)
    return target
  }

  /**
   * Lets one look do for two: a file that was looked at is from now on looked at by way of an ordinary folder beside it,
   * `<folder>/../<name>`. Were the folder a link by then, its parent would be another one, without this file.
   *
   * @param at place of the file in `paths`
   */
  trackThroughFolder(at: number, folder: string, name: string): void {
    this.paths[at] = `${folder}/../${name}`
  }

  /** Takes over a stretch of what was seen another time, if all of it still looks the same. */
  reuseIfUnchanged(sights: TrackedStats, from: number, to: number): boolean {
    if (!stampsUnchanged(sights, from, to)) return false
    const start = this.paths.length
    for (let at = from; at < to; at++) this.paths.push(sights.paths[at] as string)
    for (let at = from * STAMP_LENGTH; at < to * STAMP_LENGTH; at++) this.stamps.push(sights.stamps[at] as number)
    for (const [at, content] of sights.recentlyChanged)
      if (at >= from && at < to) this.recentlyChanged.set(at - from + start, content)
    return true
  }

  #recordContent(path: string, content: () => string): void {
    const at = this.paths.length - 1
    if (this.recentlyChanged.has(at) && this.paths[at] === path) this.recentlyChanged.set(at, content())
  }
}

const isRecent = (stats: Stats, now: number): boolean =>
  stats.mtimeMs > now - RECENT_MS || stats.ctimeMs > now - RECENT_MS
