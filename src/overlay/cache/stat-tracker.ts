import { type Dirent, readdirSync, type Stats } from 'node:fs'
import {
  hashContent,
  hashEntries,
  type LstatResult,
  lstatOrErrno,
  stampsUnchanged,
  STAMP_LENGTH,
  appendStamp,
  ReadBuffer,
  realpathOrNull,
  type TrackedStats,
} from './file-stamp.ts'

/** A file changed so recently, in milliseconds, can change again without a change of its stats (one clock tick). */
export const RECENT_MS = 2000

/** Reads the disk for a load and records the stats of every path it uses. Follows links only in {@link realpath}. */
export class StatTracker implements TrackedStats {
  readonly paths: string[] = []
  readonly stamps: number[] = []
  readonly recentlyChanged = new Map<number, string | null>()
  readonly links = new Map<string, string | null>()
  readonly #now: number
  readonly #buffer = new ReadBuffer()

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now
  }

  lstat(path: string): LstatResult {
    return this.record(path, lstatOrErrno(path))
  }

  /** Records the stats of a path. */
  record(path: string, stat: LstatResult): LstatResult {
    appendStamp(this.stamps, stat)
    const at = this.paths.push(path) - 1
    if (typeof stat !== 'string' && isRecent(stat, this.#now)) this.recentlyChanged.set(at, null)
    return stat
  }

  /** Content of the regular file that was recorded last, valid until the next call. Throws errors of the system. */
  read(path: string, size: number): Buffer {
    const content = this.#buffer.read(path, size)
    this.#recordContent(path, () => hashContent(content))
    return content
  }

  /** Entries of the folder that was recorded last. Throws errors of the system. */
  list(path: string): Dirent[] {
    const entries = readdirSync(path, { withFileTypes: true })
    this.#recordContent(path, () => hashEntries(entries))
    return entries
  }

  /** The target of a link; null where it does not exist. */
  realpath(path: string): string | null {
    const target = realpathOrNull(path)
    this.links.set(path, target)
    return target
  }

  /**
   * Saves one lstat: from now on the path of a file leads through an ordinary folder beside it, `<folder>/../<name>`. If
   * that folder becomes a link, the parent is another folder without this file, and the change is noticed.
   *
   * @param at index of the file in `paths`
   */
  trackThroughFolder(at: number, folder: string, name: string): void {
    this.paths[at] = `${folder}/../${name}`
  }

  /** Copies part of the stats of an earlier load, if all of those paths are unchanged. */
  reuseIfUnchanged(earlier: TrackedStats, from: number, to: number): boolean {
    if (!stampsUnchanged(earlier, from, to, this.#buffer)) return false
    const start = this.paths.length
    for (let at = from; at < to; at++) this.paths.push(earlier.paths[at] as string)
    for (let at = from * STAMP_LENGTH; at < to * STAMP_LENGTH; at++) this.stamps.push(earlier.stamps[at] as number)
    for (const [at, content] of earlier.recentlyChanged)
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
