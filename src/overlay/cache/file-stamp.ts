import { hash } from 'node:crypto'
import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readSync, realpathSync, type Stats } from 'node:fs'
import { errnoOf } from '../../errors.ts'

/** What the disk said of a path: its stats, or the system's error (`ENOENT`, `EACCES`, …). */
export type LstatResult = Stats | string

export const lstatOrErrno = (path: string): LstatResult => {
  try {
    // Nothing there is an everyday answer, and much cheaper as a value than as an error.
    return lstatSync(path, { throwIfNoEntry: false }) ?? 'ENOENT'
  } catch (error) {
    return errnoOf(error) ?? 'EIO'
  }
}

/** Numbers for each path in {@link TrackedStats}. */
export const STAMP_LENGTH = 4

/** Everything a load looked at: as long as all of it looks the same, loading again would give the same result. */
export interface TrackedStats {
  readonly paths: readonly string[]
  /**
   * What is compared, four numbers for each path: inode, size, time of modification, time of change. An error has a
   * negative inode and a number for its name.
   */
  readonly stamps: ArrayLike<number>
  /** Where in `paths` something stands that was too young to be judged by its marks → a hash of what it held, if it was read. */
  readonly recentlyChanged: ReadonlyMap<number, string | null>
  /** Link → where it led, or null. */
  readonly links: ReadonlyMap<string, string | null>
}

export const appendStamp = (marks: number[], stat: LstatResult): void => {
  if (typeof stat === 'string') marks.push(-1, errnoNumber(stat), 0, 0)
  else marks.push(stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs)
}

/** Whether everything between two places in the list looks as it did. */
export const stampsUnchanged = (sights: TrackedStats, from = 0, to = sights.paths.length): boolean => {
  const { paths, stamps } = sights
  for (let at = from; at < to; at++)
    if (!matchesStamp(lstatOrErrno(paths[at] as string), stamps, at * STAMP_LENGTH)) return false
  for (const [at, content] of sights.recentlyChanged) {
    if (at >= from && at < to && !contentUnchanged(paths[at] as string, content)) return false
  }
  return true
}

/** Whether every link leads where it did. */
export const linksUnchanged = ({ links }: TrackedStats): boolean => {
  for (const [link, target] of links) if (realpathOrNull(link) !== target) return false
  return true
}

const matchesStamp = (stat: LstatResult, marks: ArrayLike<number>, at: number): boolean =>
  typeof stat === 'string'
    ? marks[at] === -1 && marks[at + 1] === errnoNumber(stat)
    : stat.ino === marks[at] &&
      stat.size === marks[at + 1] &&
      stat.mtimeMs === marks[at + 2] &&
      stat.ctimeMs === marks[at + 3]

/** Reads anew what was too young; what nobody read then, and may have changed since, counts as changed. */
const contentUnchanged = (path: string, content: string | null): boolean => {
  const stat = lstatOrErrno(path)
  if (typeof stat === 'string') return false
  try {
    if (stat.isDirectory())
      return content === null || hashEntries(readdirSync(path, { withFileTypes: true })) === content
    if (stat.isFile()) return content !== null && hashContent(readContent(path, stat.size)) === content
    return true
  } catch {
    return false
  }
}

/** A number that stands for the name of an error. */
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

export const hashContent = (content: Buffer | string): string => hash('sha256', content, 'base64')

/** What a folder holds, as far as a load depends on it. */
export const hashEntries = (entries: readonly Dirent[]): string => hashContent(entries.map(entryText).sort().join('\0'))

const entryText = (entry: Dirent): string =>
  `${entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : '-'}${entry.name}`

let sharedBuffer = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * Content of a file that was looked at; the bytes are good until the next call. Half as dear as `readFileSync`: one buffer
 * for all, and no second look at the size. Throws errors of the system.
 */
export const readContent = (path: string, size: number): Buffer => {
  if (size >= sharedBuffer.length) sharedBuffer = Buffer.allocUnsafeSlow(size + 64 * 1024)
  const fd = openSync(path, 'r')
  try {
    const length = readSync(fd, sharedBuffer, 0, sharedBuffer.length, null)
    // Longer or shorter than it looked: it is changing, and whatever is read now will be seen to have changed.
    return sharedBuffer.subarray(0, length === size ? length : readRest(fd, length))
  } finally {
    closeSync(fd)
  }
}

const readRest = (fd: number, from: number): number => {
  let length = from
  for (;;) {
    if (length === sharedBuffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * sharedBuffer.length)
      sharedBuffer.copy(larger)
      sharedBuffer = larger
    }
    const read = readSync(fd, sharedBuffer, length, sharedBuffer.length - length, null)
    if (read === 0) return length
    length += read
  }
}
