import { type Dirent, readdirSync, type Stats } from 'node:fs'
import {
  contentOf,
  hashOf,
  hashOfEntries,
  type Look,
  lookAt,
  looksSame,
  MARKS,
  pushMarks,
  realpathOrNull,
  type Sights,
} from './look.ts'

/** Below this age, in milliseconds, a later change can leave the stats as they are (one tick of the clock). */
export const YOUNG = 2000

/** Reads the disk for a load, and remembers everything it looked at. Links are never followed unasked. */
export class Witness implements Sights {
  readonly paths: string[] = []
  readonly marks: number[] = []
  readonly young = new Map<number, string | null>()
  readonly links = new Map<string, string | null>()
  readonly #now: number

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now
  }

  lstat(path: string): Look {
    return this.note(path, lookAt(path))
  }

  /** Remembers what a path looked like. */
  note(path: string, look: Look): Look {
    pushMarks(this.marks, look)
    const at = this.paths.push(path) - 1
    if (typeof look !== 'string' && isYoung(look, this.#now)) this.young.set(at, null)
    return look
  }

  /**
   * Content of a regular file that was looked at last. The bytes are good until the next call. Throws errors of the system.
   */
  read(path: string, size: number): Buffer {
    const content = contentOf(path, size)
    this.#remember(path, () => hashOf(content))
    return content
  }

  /** Entries of a folder that was looked at last. Throws errors of the system. */
  list(path: string): Dirent[] {
    const entries = readdirSync(path, { withFileTypes: true })
    this.#remember(path, () => hashOfEntries(entries))
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
  lookThrough(at: number, folder: string, name: string): void {
    this.paths[at] = `${folder}/../${name}`
  }

  /** Takes over a stretch of what was seen another time, if all of it still looks the same. */
  recognise(sights: Sights, from: number, to: number): boolean {
    if (!looksSame(sights, from, to)) return false
    const start = this.paths.length
    for (let at = from; at < to; at++) this.paths.push(sights.paths[at] as string)
    for (let at = from * MARKS; at < to * MARKS; at++) this.marks.push(sights.marks[at] as number)
    for (const [at, content] of sights.young) if (at >= from && at < to) this.young.set(at - from + start, content)
    return true
  }

  #remember(path: string, content: () => string): void {
    const at = this.paths.length - 1
    if (this.young.has(at) && this.paths[at] === path) this.young.set(at, content())
  }
}

const isYoung = (stats: Stats, now: number): boolean => stats.mtimeMs > now - YOUNG || stats.ctimeMs > now - YOUNG
