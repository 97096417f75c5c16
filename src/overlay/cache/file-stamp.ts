import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readSync, realpathSync, type Stats } from 'node:fs'
import { errnoOf } from '../../errors.ts'
import { sha256Base64 } from '../../platform/hash.ts'

/** The stats of a path, or the code of the system's error: `ENOENT`, `EACCES`. */
export type LstatResult = Stats | string

export const lstatOrErrno = (path: string): LstatResult => {
  try {
    // Most often a file does not exist; then a value is much cheaper than an error.
    return lstatSync(path, { throwIfNoEntry: false }) ?? 'ENOENT'
  } catch (error) {
    return errnoOf(error) ?? 'EIO'
  }
}

/** Numbers for each path in {@link TrackedStats}. */
export const STAMP_LENGTH = 4

/** The stats of every path a load used: while none of them changes, loading again gives the same result. */
export interface TrackedStats {
  readonly paths: readonly string[]
  /**
   * Four numbers for each path: inode, size, mtime, ctime. For an error: -1, a number for its code, 0, 0.
   */
  readonly stamps: ArrayLike<number>
  /** Index in `paths` of what was too new for its stamp to prove anything → a hash of its content, if it was read. */
  readonly recentlyChanged: ReadonlyMap<number, string | null>
  /** Link → its target, or null. */
  readonly links: ReadonlyMap<string, string | null>
}

export const appendStamp = (stamps: number[], stat: LstatResult): void => {
  if (typeof stat === 'string') stamps.push(-1, errnoNumber(stat), 0, 0)
  else stamps.push(stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs)
}

/** Whether the paths from one index to another are unchanged. */
export const stampsUnchanged = (
  { paths, stamps, recentlyChanged }: TrackedStats,
  from = 0,
  to = paths.length,
  buffer: ReadBuffer | null = null,
): boolean => {
  for (let at = from; at < to; at++)
    if (!matchesStamp(lstatOrErrno(paths[at] as string), stamps, at * STAMP_LENGTH)) return false
  const content = buffer ?? (recentlyChanged.size === 0 ? null : new ReadBuffer())
  for (const [at, hashed] of recentlyChanged)
    if (at >= from && at < to && content !== null && !contentUnchanged(paths[at] as string, hashed, content))
      return false
  return true
}

/** Whether every link still has the same target. */
export const linksUnchanged = ({ links }: TrackedStats): boolean => {
  for (const [link, target] of links) if (realpathOrNull(link) !== target) return false
  return true
}

const matchesStamp = (stat: LstatResult, stamps: ArrayLike<number>, at: number): boolean =>
  typeof stat === 'string'
    ? stamps[at] === -1 && stamps[at + 1] === errnoNumber(stat)
    : stat.ino === stamps[at] &&
      stat.size === stamps[at + 1] &&
      stat.mtimeMs === stamps[at + 2] &&
      stat.ctimeMs === stamps[at + 3]

/** Reads the content again. What was not read then counts as changed. */
const contentUnchanged = (path: string, hashed: string | null, buffer: ReadBuffer): boolean => {
  const stat = lstatOrErrno(path)
  if (typeof stat === 'string') return false
  try {
    if (stat.isDirectory()) return hashed === null || hashEntries(readdirSync(path, { withFileTypes: true })) === hashed
    if (stat.isFile()) return hashed !== null && hashContent(buffer.read(path, stat.size)) === hashed
    return true
  } catch {
    return false
  }
}

/** A number for the code of an error. */
const errnoNumber = (errno: string): number => {
  let sum = 0
  for (let at = 0; at < errno.length; at++) sum = (sum * 31 + errno.charCodeAt(at)) % 1e9
  return sum
}

export const realpathOrNull = (path: string): string | null => {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

export const hashContent = sha256Base64

/** A hash of the entries of a folder: name and kind, in any order. */
export const hashEntries = (entries: readonly Dirent[]): string => hashContent(entries.map(entryText).sort().join('\0'))

const entryText = (entry: Dirent): string =>
  `${entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : '-'}${entry.name}`

/** Reads files into one buffer. That takes half as long as `readFileSync`, which allocates and calls fstat each time. */
export class ReadBuffer {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)

  /**
   * Content of a file, valid until the next call. Throws errors of the system.
   *
   * @param size as lstat said. A file with another size by now is changing, and its next stat will show that
   */
  read(path: string, size: number): Buffer {
    if (size >= this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size + 64 * 1024)
    const fd = openSync(path, 'r')
    try {
      const length = readSync(fd, this.#buffer, 0, this.#buffer.length, null)
      const end = length === size ? length : this.#readRest(fd, length)
      return this.#buffer.subarray(0, end)
    } finally {
      closeSync(fd)
    }
  }

  #readRest(fd: number, from: number): number {
    let length = from
    for (;;) {
      if (length === this.#buffer.length) {
        const larger = Buffer.allocUnsafeSlow(2 * length)
        this.#buffer.copy(larger)
        this.#buffer = larger
      }
      const read = readSync(fd, this.#buffer, length, this.#buffer.length - length, null)
      if (read === 0) return length
      length += read
    }
  }
}
