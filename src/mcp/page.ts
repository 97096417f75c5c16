import { Buffer } from 'node:buffer'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { LARGEST_DATA } from './tool.ts'

/** Part of a list, and where the next part starts. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
  readonly truncated: boolean
  /** For the next call; null at the end. */
  readonly cursor: string | null
}

export interface PageRequest {
  /** From an earlier answer. */
  readonly cursor: unknown
  /** Most items. */
  readonly limit: number
  /** Bytes of JSON for all items together. */
  readonly bytes?: number
}

/**
 * The next items of a list that fit: so many at most, and so many bytes of JSON. One item that is too large alone is given
 * by `shorten`.
 * @throws GsdError USAGE_BAD_VALUE for a cursor that is none
 */
export const pageOf = <T>(
  all: readonly T[],
  request: PageRequest,
  shorten: (item: T) => T = (item) => item,
): Page<T> => {
  const { limit, bytes = LARGEST_DATA } = request
  const start = offsetOf(request.cursor)
  const items: T[] = []
  let used = 0
  for (const item of all.slice(start, start + limit)) {
    const whole = jsonBytes(item)
    const given = whole > bytes ? shorten(item) : item
    const size = whole > bytes ? jsonBytes(given) : whole
    if (used + size > bytes && items.length > 0) break
    used += size + 1
    items.push(given)
  }
  const next = start + items.length
  const truncated = next < all.length
  return { items, total: all.length, truncated, cursor: truncated ? `o${next}` : null }
}

/** Bytes of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

const offsetOf = (cursor: unknown): number => {
  if (cursor === undefined || cursor === null) return 0
  const offset = typeof cursor === 'string' && /^o\d{1,9}$/.test(cursor) ? Number(cursor.slice(1)) : -1
  if (offset >= 0) return offset
  throw new GsdError('USAGE_BAD_VALUE', `the cursor is ${quote(cursor)}`, {
    hint: 'use the cursor of an earlier answer',
  })
}
