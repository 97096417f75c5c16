import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import { errnoOf } from '../errors.ts'
import { errnoReason } from './disk-error.ts'

/** A text file that users write. `reason` follows "cannot be read: ". */
export type TextFile =
  | { readonly state: 'absent' }
  | { readonly state: 'ok'; readonly text: string; readonly stats: Stats }
  | { readonly state: 'unreadable'; readonly reason: string }

/**
 * Reads a small UTF-8 file; a byte order mark is dropped, links are followed. Never throws and never blocks: only a regular
 * file is opened, and nothing longer than `limit` bytes is read.
 */
export const readTextFile = (file: string, limit: number): TextFile => {
  try {
    // Most often there is no such file; then a value is much cheaper than an error.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { state: 'absent' }
    if (!statSync(file).isFile()) return NOT_REGULAR
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile()) return NOT_REGULAR
      const bytes = readUpTo(fd, limit + 1)
      if (bytes.length > limit) return { state: 'unreadable', reason: `it is longer than ${limit} bytes` }
      return { state: 'ok', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), stats }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    return readFailure(error, file)
  }
}

const NOT_REGULAR: TextFile = { state: 'unreadable', reason: 'it is not a regular file' }

const readUpTo = (fd: number, most: number): Uint8Array => {
  const bytes = Buffer.alloc(Math.min(most, Math.max(fstatSync(fd).size, MIN_BUFFER) + 1))
  let length = 0
  for (;;) {
    const read = readSync(fd, bytes, length, bytes.length - length, null)
    length += read
    if (read === 0 || length === bytes.length) return bytes.subarray(0, length)
  }
}

const MIN_BUFFER = 4096

const readFailure = (error: unknown, file: string): TextFile => {
  const errno = errnoOf(error)
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    return isLink(file) ? { state: 'unreadable', reason: 'it is a dangling link' } : { state: 'absent' }
  }
  if (errno === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { state: 'unreadable', reason: 'it is not UTF-8 text' }
  if (errno === undefined) throw error
  return { state: 'unreadable', reason: errnoReason(errno).text }
}

/** A dangling link was put there by someone, so the file is not simply absent. */
const isLink = (file: string): boolean => {
  try {
    return lstatSync(file).isSymbolicLink()
  } catch {
    return false
  }
}

/** Decodes UTF-8 and keeps a BOM, or returns the position of the first invalid byte (1-based). */
export const decodeUtf8 = (bytes: Uint8Array): string | { readonly line: number; readonly column: number } => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return strict.decode(bytes)
  } catch {
    return firstInvalidByte(bytes, strict)
  }
}

const LINE_FEED = 0x0a

/** A line feed is never part of a longer UTF-8 sequence, so each line can be checked alone. */
const firstInvalidByte = (
  bytes: Uint8Array,
  strict: InstanceType<typeof TextDecoder>,
): { line: number; column: number } => {
  let start = 0
  for (let line = 1; ; line++) {
    const next = bytes.indexOf(LINE_FEED, start)
    const part = bytes.subarray(start, next === -1 ? undefined : next)
    try {
      strict.decode(part)
    } catch {
      return { line, column: new TextDecoder().decode(part).indexOf('\uFFFD') + 1 }
    }
    start = next + 1
  }
}
