import { hash } from 'node:crypto'
import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readSync, realpathSync, type Stats } from 'node:fs'
import { errnoOf } from '../errors.ts'

/** What the disk said of a path: its stats, or the system's error (`ENOENT`, `EACCES`, …). */
export type Look = Stats | string

/** Below this age, in milliseconds, a later change can leave the stats as they are (one tick of the clock). */
const YOUNG = 2000

/**
 * Reads the disk for a load, and remembers everything it looked at. As long as all of it looks the same, loading again
 * would give the same result; a snapshot is exactly that memory. Links are never followed unasked.
 */
export class Witness {
  /** What was looked at, in order. */
  readonly paths: string[] = []
  /** Four numbers for each path, see {@link pushMarks}. */
  readonly marks: number[] = []
  /** Where in `paths` something stands that is too young to be judged by its marks → a hash of what it held, if it was read. */
  readonly young = new Map<number, string | null>()
  /** Link → where it led, or null. */
  readonly links = new Map<string, string | null>()
  readonly #now: number

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now
  }

  lstat(path: string): Look {
    const look = lookAt(path)
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

  #remember(path: string, content: () => string): void {
    const at = this.paths.length - 1
    if (this.young.has(at) && this.paths[at] === path) this.young.set(at, content())
  }
}

/** What a folder holds, as far as a load depends on it. */
export const hashOfEntries = (entries: readonly Dirent[]): string =>
  hashOf(
    entries
      .map((entry) => `${entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : '-'}${entry.name}`)
      .sort()
      .join('\0'),
  )

export const hashOf = (content: Buffer | string): string => hash('sha256', content, 'base64')

export const lookAt = (path: string): Look => {
  try {
    return lstatSync(path)
  } catch (error) {
    return errnoOf(error) ?? 'EIO'
  }
}

/**
 * Adds what is compared to see whether something is still the same: inode, size, time of modification, time of change. An
 * error has a negative inode and a number for its name.
 */
export const pushMarks = (marks: number[], look: Look): void => {
  if (typeof look === 'string') marks.push(-1, numberOf(look), 0, 0)
  else marks.push(look.ino, look.size, look.mtimeMs, look.ctimeMs)
}

/** A number that stands for the name of an error. */
export const numberOf = (errno: string): number =>
  [...errno].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 1e9, 0)

export const realpathOrNull = (path: string): string | null => {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

const isYoung = (stats: Stats, now: number): boolean => stats.mtimeMs > now - YOUNG || stats.ctimeMs > now - YOUNG

let shared = Buffer.allocUnsafeSlow(64 * 1024)

/** Half as dear as `readFileSync`: one buffer for all, and no second look at the size. */
export const contentOf = (path: string, size: number): Buffer => {
  if (size >= shared.length) shared = Buffer.allocUnsafeSlow(size + 64 * 1024)
  const fd = openSync(path, 'r')
  try {
    let length = readSync(fd, shared, 0, shared.length, null)
    // Longer or shorter than it looked: it is changing, and whatever is read now will be seen to have changed.
    if (length !== size) length += restOf(fd, length)
    return shared.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}

const restOf = (fd: number, from: number): number => {
  let length = from
  for (;;) {
    if (length === shared.length) {
      const larger = Buffer.allocUnsafeSlow(2 * shared.length)
      shared.copy(larger)
      shared = larger
    }
    const read = readSync(fd, shared, length, shared.length - length, null)
    if (read === 0) return length - from
    length += read
  }
}
