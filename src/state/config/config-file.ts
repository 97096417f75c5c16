import type { Stats } from 'node:fs'
import type { Code } from '../../codes.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { Position } from '../../manifest/json/line-index.ts'
import { isObject, ownMember, type UnknownRecord } from '../../manifest/json/object.ts'
import { readJsonText, type JsonText } from '../../manifest/json/read-json.ts'
import { readTextFile } from '../../platform/text-file.ts'
import { quote } from '../../redact.ts'

/** A JSON file that a person writes. Members are looked up by own keys only. */
export type ConfigFile =
  | { readonly state: 'absent'; readonly file: string }
  | LoadedConfigFile
  | { readonly state: 'unreadable'; readonly file: string; readonly diagnostic: Diagnostic }

export interface LoadedConfigFile extends Pick<JsonText, 'duplicates' | 'locate'> {
  readonly state: 'ok'
  readonly file: string
  readonly root: UnknownRecord
  readonly stats: Stats
}

/** What messages call a file, and the code of its errors. */
export interface ConfigKind {
  readonly name: string
  readonly code: Code
}

const MAX_BYTES = 1024 * 1024

/** Reads a configuration file. Never throws, never waits for a pipe, never repairs. */
export const readConfigFile = (file: string, kind: ConfigKind): ConfigFile => {
  const found = readTextFile(file, MAX_BYTES)
  if (found.state === 'absent') return { state: 'absent', file }
  const unreadable = (reason: string, position: Partial<Position> = {}): ConfigFile => ({
    state: 'unreadable',
    file,
    diagnostic: diagnostic('warning', kind.code, `the ${kind.name} ${quote(file)} cannot be read: ${reason}`, {
      file,
      ...position,
      hint: `correct ${file}${position.line === undefined ? '' : ` at line ${position.line}`}`,
    }),
  })
  if (found.state === 'unreadable') return unreadable(found.reason)
  const { value, error, duplicates, positionAt, locate } = readJsonText(found.text)
  if (error !== null) return unreadable(error.message, positionAt(error.offset))
  if (!isObject(value)) return unreadable('it is not an object', positionAt(0))
  return { state: 'ok', file, root: value, stats: found.stats, locate, duplicates }
}

/** A warning about one member of a file. */
export const memberWarning = (file: LoadedConfigFile, pointer: string, problem: string, hint: string): Diagnostic =>
  diagnostic('warning', 'STATE_CONFIG_INVALID', `${quote(file.file)}: ${problem}`, {
    file: file.file,
    ...file.locate(pointer),
    path: pointer,
    hint,
  })

/** Number in the member `schema` of the files that this version understands; a file may omit it. */
const SUPPORTED_SCHEMA = 1

/** Null for a file that can be read. With another `schema`, the meaning of its members is unknown. */
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
