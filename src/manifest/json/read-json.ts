import { decodeUtf8 } from './decode-utf8.ts'
import { lineIndex, type Position } from './line-index.ts'
import { scanJson, type JsonScan } from './scan-json.ts'

/** Levels of objects and arrays in any JSON that the program keeps or accepts (manifest page, "Reading"). */
export const MAX_DEPTH = 64

/** Why a text is not JSON. */
export interface JsonError {
  readonly kind: 'encoding' | 'empty' | 'conflict' | 'syntax'
  readonly message: string
  readonly hint?: string
  /** UTF-16 code units from the start of the text. */
  readonly offset: number
}

/** A JSON text, its value, and the position of every member in it. */
export interface JsonText {
  /** Without the byte order mark; with bytes that are not UTF-8, only the part before them. */
  readonly text: string
  readonly hasBom: boolean
  /** Undefined where there is an error. */
  readonly value: unknown
  readonly error: JsonError | null
  /** Whether the value has more than {@link MAX_DEPTH} levels. Deeper members have no position of their own. */
  readonly isTooDeep: boolean
  /** Keys that repeat an earlier key of their object; `JSON.parse` keeps the last value. */
  readonly duplicates: JsonScan['duplicates']
  readonly positionAt: (offset: number) => Position
  /** Position of the key or value at a JSON pointer; of a missing member, that of the nearest object around it. */
  readonly locate: (pointer: string, part?: 'key' | 'value') => Position
}

/** Bytes → text → value. Never throws. */
export const readJson = (bytes: Uint8Array): JsonText => {
  const { text, hasBom, error } = decodeUtf8(bytes)
  if (error === null) return readJsonText(text, hasBom)
  const encoding = { kind: 'encoding', message: `it is not UTF-8: ${error.words}`, offset: text.length } as const
  return createJsonText({ ...NOTHING, text, hasBom, error: encoding })
}

/** The same for a text that is already decoded. */
export const readJsonText = (text: string, hasBom = false): JsonText => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return createJsonText({ ...NOTHING, text, hasBom, error: findError(text) })
  }
  const keys = countKeys(value, MAX_DEPTH)
  const duplicates = keys === countKeyEnds(text) ? NO_DUPLICATES : scanJson(text, MAX_DEPTH).duplicates
  return createJsonText({ text, hasBom, value, error: null, isTooDeep: keys === -1, duplicates })
}

const NO_DUPLICATES: JsonScan['duplicates'] = []
const NOTHING = { value: undefined, isTooDeep: false, duplicates: NO_DUPLICATES }

/** Scanning costs ten times as much as parsing, so it waits until a position is needed. */
const createJsonText = (parsed: Omit<JsonText, 'positionAt' | 'locate'>): JsonText => {
  const positionAt = lineIndex(parsed.text)
  let offsets: JsonScan['offsets'] | null = null
  const locate = (pointer: string, part: 'key' | 'value' = 'key'): Position => {
    offsets ??= scanJson(parsed.text, MAX_DEPTH).offsets
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const found = offsets.get(at)
      if (found !== undefined || at === '') return positionAt((part === 'key' ? found?.key : null) ?? found?.value ?? 0)
    }
  }
  return { ...parsed, positionAt, locate }
}

const findError = (text: string): JsonError => {
  const conflict = CONFLICT_MARKER.exec(text)
  if (conflict !== null) {
    return {
      kind: 'conflict',
      message: 'it contains the markers of a merge conflict',
      hint: 'resolve the conflict: keep the lines you want, remove the marker lines',
      offset: conflict.index,
    }
  }
  const kind = text.trim() === '' ? 'empty' : 'syntax'
  return { kind, message: 'it is not JSON', offset: 0, ...scanJson(text, MAX_DEPTH).error }
}

/** A line that starts like those that git puts around the two sides of a conflict. */
const CONFLICT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)/m

/** The number of keys in a value; -1 when it has more levels than allowed. */
const countKeys = (value: unknown, levels: number): number => {
  if (typeof value !== 'object' || value === null) return 0
  if (levels === 0) return -1
  const isArray = Array.isArray(value)
  let keys = 0
  // Not Object.values, which would allocate an array for each of many thousand objects.
  for (const key in value) {
    const below = countKeys((value as Record<string, unknown>)[key], levels - 1)
    if (below === -1) return -1
    keys += isArray ? below : below + 1
  }
  return keys
}

/**
 * How often a closing quote and a colon follow each other: once for each key, and rarely in strings. As many of them as
 * keys prove that no key is repeated, which is much cheaper than looking at each key.
 */
const countKeyEnds = (text: string): number => {
  let count = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1
    while (isSpace(text.charCodeAt(before))) before--
    if (text.charCodeAt(before) === QUOTE) count++
  }
  return count
}

const QUOTE = 0x22
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
