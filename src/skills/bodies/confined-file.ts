import { constants, type Stats } from 'node:fs'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import {
  attempt,
  below,
  entryStats,
  isAbsent,
  isSame,
  odd,
  withFolder,
  type ConfinedFolder,
} from './confined-folder.ts'

/** A file as it was read: whole, unchanged from the first byte to the last. */
export interface ConfinedFile {
  readonly bytes: Uint8Array
  readonly executable: boolean
}

const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads a file below the skills root. No link is followed on the way or at the end, nothing but a regular file with one
 * name is opened, and no call waits.
 * @param path Plain names, relative to the root
 * @param limit Largest size in bytes
 * @throws GsdError POLICY_SKILL_CONFINED, POLICY_SKILL_SIZE, STATE_SKILL_MISSING
 */
export const readConfined = (disk: Disk, root: string, path: string, limit: number): ConfinedFile => {
  const segments = path.split('/')
  const name = segments.pop() ?? ''
  return withFolder(disk, root, segments, (folder) => readFileOf(disk, folder, name, limit))
}

/** The bytes of {@link readConfined}; null where there is no such file. */
export const readPresent = (disk: Disk, root: string, file: string, limit: number): Uint8Array | null => {
  try {
    return readConfined(disk, root, file, limit).bytes
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

/** The same in a folder that is open. */
export const readFileOf = (disk: Disk, folder: ConfinedFolder, name: string, limit: number): ConfinedFile => {
  const chunks: Uint8Array[] = []
  const { executable } = scanFileOf(disk, folder, name, { limit, take: (chunk) => chunks.push(Buffer.from(chunk)) })
  return { bytes: Buffer.concat(chunks), executable }
}

export interface ScanOptions {
  readonly limit: number
  /** Gets the content piece by piece; a piece is only valid during the call. */
  readonly take: (chunk: Uint8Array) => void
}

/** Reads a file of an open folder piece by piece. What was taken counts only when this returns. */
export const scanFileOf = (
  disk: Disk,
  folder: ConfinedFolder,
  name: string,
  { limit, take }: ScanOptions,
): { readonly size: number; readonly executable: boolean } => {
  const path = below(folder.path, name)
  const address = folder.at(name)
  const seen = requirePlain(entryStats(disk, address, path), path)
  const fd = attempt(path, () => disk.openSync(address, FILE))
  try {
    const stats = requirePlain(disk.fstatSync(fd), path)
    if (!isSame(seen, stats)) throw changed(path)
    if (stats.size > limit) throw tooLarge(path, limit)
    const size = attempt(path, () => readAll(disk, fd, stats.size, take))
    if (size !== stats.size || !isUntouched(stats, disk.fstatSync(fd))) throw changed(path)
    return { size, executable: (stats.mode & 0o100) !== 0 }
  } finally {
    disk.closeSync(fd)
  }
}

/**
 * The beginning of a file of an open folder; `whole` when that is all of it.
 * @throws GsdError like {@link readConfined}, but no size is too large
 */
export const readHead = (
  disk: Disk,
  folder: ConfinedFolder,
  name: string,
  most: number,
): { readonly bytes: Uint8Array; readonly whole: boolean } => {
  const path = below(folder.path, name)
  const address = folder.at(name)
  const seen = requirePlain(entryStats(disk, address, path), path)
  const fd = attempt(path, () => disk.openSync(address, FILE))
  try {
    const stats = requirePlain(disk.fstatSync(fd), path)
    if (!isSame(seen, stats)) throw changed(path)
    const wanted = Math.min(stats.size, most)
    const chunks: Uint8Array[] = []
    attempt(path, () => readAll(disk, fd, wanted, (chunk) => chunks.push(Buffer.from(chunk))))
    return { bytes: Buffer.concat(chunks).subarray(0, wanted), whole: wanted === stats.size }
  } finally {
    disk.closeSync(fd)
  }
}

/** Throws POLICY_SKILL_CONFINED for anything but a regular file with one name. */
export const requirePlain = (stats: Stats, path: string): Stats => {
  if (stats.isSymbolicLink()) throw odd(path, 'is a link')
  if (!stats.isFile()) throw odd(path, 'is not a regular file')
  if (stats.nlink !== 1) throw odd(path, 'is a hard link: the file has another name too')
  return stats
}

const isUntouched = (a: Stats, b: Stats): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.nlink === b.nlink

const LARGEST_CHUNK = 256 * 1024

/** Bytes that were read: one more than `size` at most, which says that the file grew. */
const readAll = (disk: Disk, fd: number, size: number, take: (chunk: Uint8Array) => void): number => {
  const buffer = Buffer.allocUnsafe(Math.min(size + 1, LARGEST_CHUNK))
  for (let length = 0; ;) {
    const read = disk.readSync(fd, buffer, 0, Math.min(buffer.length, size + 1 - length), null)
    length += read
    if (read > 0) take(buffer.subarray(0, read))
    if (read === 0 || length > size) return length
  }
}

const changed = (path: string): GsdError =>
  new GsdError('STATE_SKILL_MISSING', `${quote(path)} changed while it was read`, { hint: 'try again' })

const tooLarge = (path: string, limit: number): GsdError =>
  new GsdError('POLICY_SKILL_SIZE', `${quote(path)} is larger than ${limit} bytes`, {
    hint: 'shorten it, or raise the limit',
  })
