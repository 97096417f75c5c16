import { GsdError } from '../errors.ts'
import { isForbiddenKey } from '../manifest/json/object.ts'
import { type Path, pointerOf } from '../manifest/json/pointer.ts'
import { MAX_DEPTH, readJson, type JsonText } from '../manifest/json/read-json.ts'
import { quote } from '../redact.ts'
import { memberOf, rejectMember, rootMember, type Member } from './json-member.ts'
import { isObject, type JsonObject } from './json-text.ts'

/** One kind of state file. */
export interface StateFileKind<T> {
  /** Its name in messages: `ledger`. */
  readonly name: string
  /** Number in the member `schema`. A newer version writes higher ones. Null: a file of another program, without it. */
  readonly schema: number | null
  /** What to do about a file that cannot be read. */
  readonly hint: string
  /** Checks and converts the whole file; throws by `rejectMember`. */
  readonly parse: (root: Member) => T
}

/**
 * Bytes of a state file → its content. `text` is the whole text, with the byte order mark.
 * @throws STATE_UNREADABLE, STATE_NEWER_SCHEMA; `details` are line and column, where the error has a position
 */
export const parseStateFile = <T>(
  bytes: Uint8Array,
  kind: StateFileKind<T>,
): { readonly value: T; readonly json: JsonObject; readonly text: string } => {
  const json = readJson(bytes)
  checkText(json)
  const root = rootMember(json.value, (path, problem) => memberError(json, path, problem))
  const object = checkRoot(root, kind, json)
  return { value: kind.parse(root), json: object, text: json.hasBom ? `\ufeff${json.text}` : json.text }
}

const memberError = (json: JsonText, path: Path, problem: string): GsdError =>
  new GsdError('STATE_UNREADABLE', `${path.length === 0 ? 'the file' : quote(path.join('.'))} ${problem}`, {
    details: json.locate(pointerOf(path)),
  })

const checkText = ({ error, isTooDeep, duplicates: [duplicate], positionAt }: JsonText): void => {
  if (error !== null) {
    throw new GsdError('STATE_UNREADABLE', error.message, {
      ...(error.kind === 'empty' ? {} : { details: positionAt(error.offset) }),
      ...(error.kind === 'conflict' ? { hint: `${error.hint}, then run gsd capability sync` } : {}),
    })
  }
  if (isTooDeep) throw new GsdError('STATE_UNREADABLE', `the file is nested deeper than ${MAX_DEPTH} levels`)
  if (duplicate !== undefined) {
    throw new GsdError('STATE_UNREADABLE', `the key ${quote(duplicate.key)} is repeated`, {
      details: positionAt(duplicate.offset),
    })
  }
}

const checkRoot = <T>(root: Member, kind: StateFileKind<T>, json: JsonText): JsonObject => {
  if (!isObject(root.value)) return rejectMember(root, 'is not an object')
  const forbidden = Object.keys(root.value).find(isForbiddenKey)
  if (forbidden !== undefined) rejectMember(memberOf(root, forbidden), 'is not a valid name of a member')
  if (kind.schema === null) return root.value
  const schema = Object.hasOwn(root.value, 'schema') ? root.value['schema'] : undefined
  if (typeof schema === 'number' && Number.isInteger(schema) && schema > kind.schema) {
    throw new GsdError(
      'STATE_NEWER_SCHEMA',
      `a newer version wrote it (schema ${schema}; this version reads ${kind.schema})`,
      { hint: 'use the newer version of gsd, or move the file away', details: json.locate('/schema') },
    )
  }
  if (schema !== kind.schema) rejectMember(memberOf(root, 'schema'), `is not ${kind.schema}: ${quote(schema ?? null)}`)
  return root.value
}
