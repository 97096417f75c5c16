import { GsdError } from '../errors.ts'
import { lineIndex } from '../manifest/json/line-index.ts'
import { pointerOf } from '../manifest/json/pointer.ts'
import { scanJson } from '../manifest/json/scan-json.ts'
import { quote } from '../redact.ts'
import { memberOf, rejectMember, rootMember, type Member } from './json-member.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { isForbiddenKey } from './name-rules.ts'

/** One kind of kept file. */
export interface StateFileKind<T> {
  /** As it is called in messages: `ledger`. */
  readonly name: string
  /** Number in the member `schema`. Higher ones were written by a newer version. */
  readonly schema: number
  /** What to do about one that cannot be read. */
  readonly hint: string
  /** Checks and converts the whole; see `misshapen`. */
  readonly parse: (root: Member) => T
}

/**
 * Bytes of a kept file → its content. The text is exact, byte order mark and all.
 * @throws STATE_UNREADABLE, STATE_NEWER_SCHEMA; `details` hold line and column where there are any
 */
export const parseStateFile = <T>(
  bytes: Uint8Array,
  kind: StateFileKind<T>,
): { readonly value: T; readonly json: JsonObject; readonly text: string } => {
  const text = decode(bytes)
  const body = text.replace(/^\ufeff/, '')
  const root = rootMember(parseJson(body))
  try {
    const json = checkRoot(root, kind)
    return { value: kind.parse(root), json, text }
  } catch (error) {
    throw withPosition(error, body)
  }
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new GsdError('STATE_UNREADABLE', 'it is not UTF-8 text')
  }
}

const parseJson = (text: string): unknown => {
  const faultAt = (offset: number, what: string, hint?: string): never => {
    const place = lineIndex(text)(offset)
    throw new GsdError('STATE_UNREADABLE', what, {
      details: place,
      ...(hint === undefined ? {} : { hint }),
    })
  }
  if (text.trim() === '') throw new GsdError('STATE_UNREADABLE', 'it is empty')
  try {
    const value: unknown = JSON.parse(text)
    if (mayHoldDuplicates(text, value)) {
      const [duplicate] = scanJson(text, MAX_DEPTH).duplicates
      if (duplicate !== undefined) faultAt(duplicate.offset, `the key ${quote(duplicate.key)} stands in it twice`)
    }
    return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const conflict = CONFLICT_MARKER.exec(text)
    if (conflict !== null) {
      faultAt(
        conflict.index,
        'it holds the markers of an unsettled merge',
        'settle the merge in that file: keep the entries you want, take out the marker lines, then run gsd capability sync',
      )
    }
    const fault = scanJson(text, MAX_DEPTH).error
    return faultAt(fault?.offset ?? 0, fault?.message ?? 'it is not JSON')
  }
}

/** A line that begins as the lines do which git puts around the two sides of a conflict. */
const CONFLICT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)/m

/**
 * There are as many `":` in a text as keys in its value, and more only where a string holds one or a key is there twice:
 * counting both is much cheaper than looking at every key. A blank in between makes counting harder, so then it is not done.
 */
const mayHoldDuplicates = (text: string, value: unknown): boolean => {
  if (/"\s+:/.test(text)) return true
  let written = 0
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) written += 1
  return written !== countKeys(value)
}

/** Without recursion, since the file may be nested as deep as anybody likes. */
const countKeys = (root: unknown): number => {
  let keys = 0
  let level: object[] = isContainer(root) ? [root] : []
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new GsdError('STATE_UNREADABLE', `it is nested deeper than ${MAX_DEPTH} levels`)
    const next: object[] = []
    // In place of Object.values, which would make an array of each of a hundred thousand objects.
    for (const value of level) {
      for (const key in value) {
        if (!Array.isArray(value)) keys += 1
        const member = (value as Readonly<Record<string, unknown>>)[key]
        if (isContainer(member)) next.push(member)
      }
    }
    level = next
  }
  return keys
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** No file of ours comes near it. */
const MAX_DEPTH = 64

const checkRoot = <T>(root: Member, kind: StateFileKind<T>): JsonObject => {
  if (!isObject(root.value)) return rejectMember(root, 'does not hold an object')
  const forbidden = Object.keys(root.value).find(isForbiddenKey)
  if (forbidden !== undefined) rejectMember(memberOf(root, forbidden), 'is no name for a member')
  const schema = Object.hasOwn(root.value, 'schema') ? root.value['schema'] : undefined
  if (typeof schema === 'number' && Number.isInteger(schema) && schema > kind.schema) {
    throw new GsdError(
      'STATE_NEWER_SCHEMA',
      `it was written by a newer version (schema ${schema}; this one knows ${kind.schema})`,
      { hint: 'use the newer version of gsd, or move the file away', details: { path: ['schema'] } },
    )
  }
  if (schema !== kind.schema) rejectMember(memberOf(root, 'schema'), `is not ${kind.schema}: ${quote(schema ?? null)}`)
  return root.value
}

/** Adds line and column to a fault that names a member. Of a missing member it is the object it is missing from. */
const withPosition = (error: unknown, text: string): unknown => {
  if (!(error instanceof GsdError) || !hasPath(error.details)) return error
  const { offsets } = scanJson(text, MAX_DEPTH)
  const { path } = error.details
  const spot = offsets.get(pointerOf(path)) ?? offsets.get(pointerOf(path.slice(0, -1)))
  const place = lineIndex(text)(spot?.key ?? spot?.value ?? 0)
  return new GsdError(error.code, error.message, {
    details: place,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })
}

const hasPath = (details: unknown): details is { readonly path: readonly (string | number)[] } =>
  typeof details === 'object' && details !== null && 'path' in details
