import type { Stats } from 'node:fs'
import type { Code } from '../../codes.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { lineIndex, type Position } from '../../manifest/json/line-index.ts'
import { type JsonScan, scanJson } from '../../manifest/json/scan-json.ts'
import { readTextFile } from '../../platform/text-file.ts'
import { quote } from '../../redact.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** A JSON file that a person wrote, as it was found. Members are looked up by own keys only. */
export type ConfigFile =
  | { readonly state: 'absent'; readonly file: string }
  | LoadedConfigFile
  | { readonly state: 'unreadable'; readonly file: string; readonly diagnostic: Diagnostic }

export interface LoadedConfigFile {
  readonly state: 'ok'
  readonly file: string
  readonly root: JsonObject
  /** JSON pointers of members that stand there twice; the last one counts. */
  readonly duplicates: () => readonly string[]
  readonly stats: Stats
  /** Line and column of the member with this JSON pointer, or of the nearest one above it. */
  readonly locate: (pointer: string) => Position
}

/** How a file is called in messages, and what its faults are. */
export interface ConfigKind {
  readonly name: string
  readonly code: Code
}

const MAX_BYTES = 1024 * 1024
/** Deeper members are not looked at by anybody. */
const MAX_DEPTH = 64

/** Reads a configuration file. Never throws, never waits for a pipe, never repairs. */
export const readConfigFile = (file: string, kind: ConfigKind): ConfigFile => {
  const found = readTextFile(file, MAX_BYTES)
  if (found.state === 'absent') return { state: 'absent', file }
  if (found.state === 'unreadable')
    return { state: 'unreadable', file, diagnostic: unreadableDiagnostic(file, kind, found.reason) }
  const { text, stats } = found
  // Scanning costs ten times what parsing does, and is needed for faults only.
  let scanned: JsonScan | null = null
  const scan = (): JsonScan => (scanned ??= scanJson(text, MAX_DEPTH))
  const placeOf = lineIndex(text)
  const root = parseJson(text)
  if (root === undefined) {
    const { message, offset } = scan().error ?? { message: 'it is not JSON', offset: 0 }
    return { state: 'unreadable', file, diagnostic: unreadableDiagnostic(file, kind, message, placeOf(offset)) }
  }
  if (!isJsonObject(root)) {
    return {
      state: 'unreadable',
      file,
      diagnostic: unreadableDiagnostic(file, kind, 'it does not hold an object', placeOf(0)),
    }
  }
  const locate = (pointer: string): Position => {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const spot = scan().offsets.get(at)
      if (spot !== undefined || at === '') return placeOf(spot?.key ?? spot?.value ?? 0)
    }
  }
  return { state: 'ok', file, root, stats, locate, duplicates: () => scan().duplicates.map(({ pointer }) => pointer) }
}

/** Undefined where the text is not JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member by its own key, or undefined. */
export const ownMember = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** A warning about one member of a file that was read. */
export const memberWarning = (file: LoadedConfigFile, pointer: string, what: string, hint: string): Diagnostic =>
  diagnostic('warning', 'STATE_CONFIG_INVALID', `${quote(file.file)}: ${what}`, {
    file: file.file,
    ...file.locate(pointer),
    path: pointer,
    hint,
  })

const unreadableDiagnostic = (
  file: string,
  { name, code }: ConfigKind,
  reason: string,
  place: Partial<Position> = {},
): Diagnostic =>
  diagnostic('warning', code, `the ${name} ${quote(file)} cannot be read: ${reason}`, {
    file,
    ...place,
    hint: `mend ${file}${place.line === undefined ? '' : ` at line ${place.line}`}`,
  })

/** Number in the member `schema` of the files that this version understands; a file may leave it out. */
const SUPPORTED_SCHEMA = 1

/** A newer or senseless `schema` makes a file unreadable: what its members mean is not known here. Null: it can be read. */
export const checkSchema = (file: LoadedConfigFile): Diagnostic | null => {
  const schema = ownMember(file.root, 'schema')
  if (schema === undefined || schema === SUPPORTED_SCHEMA) return null
  const newer = typeof schema === 'number' && schema > SUPPORTED_SCHEMA
  return diagnostic(
    'warning',
    newer ? 'STATE_NEWER_SCHEMA' : 'STATE_CONFIG_INVALID',
    `${quote(file.file)} has the schema ${quote(schema)}, and this version reads ${SUPPORTED_SCHEMA}`,
    {
      file: file.file,
      ...file.locate('/schema'),
      path: '/schema',
      hint: newer ? 'use the newer version of gsd' : `write "schema": ${SUPPORTED_SCHEMA}`,
    },
  )
}
