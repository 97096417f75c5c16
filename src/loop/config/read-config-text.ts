import { lineIndex } from '../../manifest/json/line-index.ts'
import { scanJson } from '../../manifest/json/scan-json.ts'
import { readTextFile } from '../../platform/text-file.ts'
import { nestsDeeper, withoutComments } from './json-with-comments.ts'
import type { Place } from './layer.ts'
import { memberOffset } from './member-offset.ts'
import { isObject } from './value-type.ts'

/** A configuration file as it was found. Comments and trailing commas are allowed. */
export type ConfigText =
  | { readonly state: 'absent' }
  | {
      readonly state: 'ok'
      readonly text: string
      readonly root: Readonly<Record<string, unknown>>
      /** Line and column of the key of a member, by the keys on the way to it. */
      readonly locate: (path: readonly string[]) => Place | null
    }
  /** `reason` follows "cannot be read: ". */
  | { readonly state: 'unreadable'; readonly reason: string; readonly place: Place | null }

/** Bytes. A file with a million keys is below this. */
const LONGEST = 64 * 1024 * 1024
const DEEPEST = 64

/** Reads a configuration file. Never throws, never waits for a pipe. */
export const readConfigText = (file: string): ConfigText => {
  const found = readTextFile(file, LONGEST)
  if (found.state === 'absent') return found
  if (found.state === 'unreadable') return unreadable(found.reason)
  return parseConfigText(found.text)
}

/** What a configuration text says. An empty text holds nothing. */
export const parseConfigText = (text: string): ConfigText => {
  if (text.trim() === '') return { state: 'ok', text, root: {}, locate: () => null }
  const strict = parsed(text)
  const plain = strict === undefined ? withoutComments(text) : text
  if (nestsDeeper(plain, DEEPEST)) return unreadable(`it nests deeper than ${DEEPEST} levels`)
  const placeAt = lineIndex(text)
  const root = strict ?? parsed(plain)
  if (root === undefined) {
    const { message, offset } = scanJson(plain, DEEPEST).error ?? { message: 'it is not JSON', offset: 0 }
    return unreadable(message, placeAt(offset))
  }
  if (!isObject(root)) return unreadable('it does not hold an object', placeAt(0))
  const locate = (path: readonly string[]): Place | null => {
    const offset = memberOffset(plain, path)
    return offset === -1 ? null : placeAt(offset)
  }
  return { state: 'ok', text, root, locate }
}

const unreadable = (reason: string, place: Place | null = null): ConfigText => ({ state: 'unreadable', reason, place })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
