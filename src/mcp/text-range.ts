import { Buffer } from 'node:buffer'
import { jsonBytes } from './page.ts'
import { LARGEST_DATA } from './tool.ts'

/** A part of a text that is handed on; offsets are bytes of its UTF-8 form. */
export interface TextRange {
  /** Where the part starts: the asked offset, or the next start of a character. */
  readonly offset: number
  /** Bytes of the part. */
  readonly length: number
  readonly text: string
  /** Bytes of the whole. */
  readonly bytes: number
  readonly truncated: boolean
  /** Where the next part starts; null at the end. */
  readonly next_offset: number | null
}

/** The part of a text from an offset on, cut between characters and to what fits into one reply. */
export const rangeOf = (whole: Uint8Array, offset: number, length: number): TextRange => {
  const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength)
  const start = nextStart(bytes, Math.min(offset, bytes.length))
  const end = fittingEnd(bytes, start, lastStart(bytes, Math.min(start + length, bytes.length), start))
  return {
    offset: start,
    length: end - start,
    text: bytes.toString('utf8', start, end),
    bytes: bytes.length,
    truncated: end < bytes.length,
    next_offset: end < bytes.length ? end : null,
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

const nextStart = (bytes: Buffer, at: number): number => {
  let start = at
  while (isContinuation(bytes[start])) start += 1
  return start
}

/** The end of the last whole character; at least one character is given, or the reader would never get on. */
const lastStart = (bytes: Buffer, at: number, start: number): number => {
  let end = at
  while (end > start && isContinuation(bytes[end])) end -= 1
  return end > start ? end : nextStart(bytes, Math.min(start + 1, bytes.length))
}

/** JSON writes some characters in six bytes, so what fits is found by measuring. */
const fittingEnd = (bytes: Buffer, start: number, wanted: number): number => {
  let end = wanted
  while (end > start && jsonBytes(bytes.toString('utf8', start, end)) > LARGEST_DATA) {
    const half = start + Math.max(1, Math.floor((end - start) * 0.75))
    const next = lastStart(bytes, half, start)
    if (next >= end) break
    end = next
  }
  return end
}
