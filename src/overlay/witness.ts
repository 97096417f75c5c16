import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { errnoOf } from '../errors.ts'

/** What the disk said of a path: its stats, or the system's error (`ENOENT`, `EACCES`, …). */
export type Look = Stats | string

/** One thing that was looked at, so that it can be looked at again. */
export interface Sight {
  readonly path: string
  readonly look: Look
  /** Of a file or folder too young to be judged by its stats: what it held. */
  content?: Buffer | readonly string[]
}

/** Below this age, in milliseconds, a later change can leave the stats as they are (one tick of the clock). */
export const YOUNG = 2000

/**
 * Reads the disk for a load, and remembers every path it looked at. As long as each of them looks the same, loading again
 * would give the same result; a snapshot is exactly that memory. Links are never followed.
 */
export class Witness {
  readonly sights = new Map<string, Sight>()
  readonly #now: number

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now
  }

  lstat(path: string): Look {
    const known = this.sights.get(path)
    if (known !== undefined) return known.look
    const look = lookAt(path)
    this.sights.set(path, { path, look })
    return look
  }

  /** Content of a regular file that was looked at. Throws errors of the system. */
  read(path: string): Buffer {
    const content = readFileSync(path)
    this.#remember(path, content)
    return content
  }

  /** Entries of a folder. Throws errors of the system. */
  list(path: string): Dirent[] {
    this.lstat(path)
    const entries = readdirSync(path, { withFileTypes: true })
    this.#remember(path, entries.map(spell))
    return entries
  }

  /** Looks at what a link leads to as well. */
  lstatTarget(path: string): void {
    try {
      this.lstat(realpathSync.native(path))
    } catch {
      // A link to nothing: the link itself was looked at.
    }
  }

  /** Throws errors of the system. */
  realpath(path: string): string {
    return realpathSync.native(path)
  }

  #remember(path: string, content: Buffer | readonly string[]): void {
    const sight = this.sights.get(path)
    if (sight !== undefined && typeof sight.look !== 'string' && isYoung(sight.look, this.#now)) sight.content = content
  }
}

/** An entry of a folder as a snapshot keeps it. */
export const spell = (entry: Dirent): string => entry.name

export const lookAt = (path: string): Look => {
  try {
    return lstatSync(path)
  } catch (error) {
    return errnoOf(error) ?? 'EIO'
  }
}

export const isYoung = (stats: Stats, now: number): boolean => Math.max(stats.mtimeMs, stats.ctimeMs) > now - YOUNG
