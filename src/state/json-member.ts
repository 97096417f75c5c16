import type { Path } from '../manifest/json/pointer.ts'
import { quote } from '../redact.ts'
import { isObject } from './json-text.ts'
import { isNormalizedAbsolutePath } from './name-rules.ts'

/** A value in a JSON file, and its place there. A file can have very many, so a path is only built for one that is wrong. */
export interface Member {
  readonly value: unknown
  readonly key: string | number
  /** At the root: what to throw for a member that is wrong. */
  readonly parent: Member | MemberError
}

/** The error for the member at `path`; `problem` reads after its name. */
export type MemberError = (path: Path, problem: string) => Error

export const rootMember = (value: unknown, error: MemberError): Member => ({ value, key: '', parent: error })

/** Ends the reading of a file because of one member. `problem` reads after its name. */
export const rejectMember = (at: Member, problem: string): never => {
  const path: (string | number)[] = []
  let { key, parent } = at
  while (typeof parent !== 'function') {
    path.unshift(key)
    ;({ key, parent } = parent)
  }
  throw parent(path, problem)
}

/** A member by its key; its value is undefined when it is missing. */
export const memberOf = (at: Member, key: string): Member => {
  if (!isObject(at.value)) return rejectMember(at, 'is not an object')
  return { value: Object.hasOwn(at.value, key) ? at.value[key] : undefined, key, parent: at }
}

/** All members of an object that is used as a map; keys must pass `isKey`. Collect them in a Map, never in an object. */
export const membersOf = (at: Member, isKey: (key: string) => boolean, keyName: string): [key: string, Member][] => {
  if (!isObject(at.value)) return rejectMember(at, 'is not an object')
  return Object.entries(at.value).map(([key, value]) => {
    const member = { value, key, parent: at }
    if (!isKey(key)) rejectMember(member, `is not a valid ${keyName}`)
    return [key, member]
  })
}

export const itemsOf = (at: Member): Member[] =>
  Array.isArray(at.value)
    ? at.value.map((value: unknown, key) => ({ value, key, parent: at }))
    : rejectMember(at, 'is not a list')

/** A string without control characters that passes `test`. */
export const textOf = (
  at: Member,
  test: (text: string) => boolean = isAnyText,
  kind = 'single line of text',
): string => {
  if (isText(at.value, test)) return at.value
  return rejectMember(at, at.value === undefined ? 'is missing' : `is not a valid ${kind}: ${quote(at.value)}`)
}

/** The same for a member of an object, without allocating anything for a sound one: some files have very many. */
export const textIn = (at: Member, key: string, test?: (text: string) => boolean, kind?: string): string => {
  const { value } = at
  const member = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isText(member, test ?? isAnyText) ? member : textOf(memberOf(at, key), test, kind)
}

const isText = (value: unknown, test: (text: string) => boolean): value is string =>
  typeof value === 'string' && !CONTROL.test(value) && test(value)

const CONTROL = /[\u0000-\u001f\u007f]/
const isAnyText = (): boolean => true

/** Any string, also with line breaks. */
export const stringOf = (at: Member): string =>
  typeof at.value === 'string' ? at.value : rejectMember(at, `is not a string: ${quote(at.value)}`)

/** An absolute path without `.` and `..`. It may contain whatever a file name may contain. */
export const pathOf = (at: Member): string =>
  typeof at.value === 'string' && isNormalizedAbsolutePath(at.value)
    ? at.value
    : rejectMember(at, `is not an absolute path: ${quote(at.value)}`)

export const numberOf = (at: Member): number =>
  typeof at.value === 'number' ? at.value : rejectMember(at, `is not a number: ${quote(at.value)}`)

export const booleanOf = (at: Member): boolean =>
  typeof at.value === 'boolean' ? at.value : rejectMember(at, 'is neither true nor false')

/** Reads a member that may be missing. */
export const optional = <T>(at: Member, read: (at: Member) => T): T | undefined =>
  at.value === undefined ? undefined : read(at)

/** Reads a member that may be null. */
export const nullable = <T>(at: Member, read: (at: Member) => T): T | null => (at.value === null ? null : read(at))

/** `sha512-` and 88 characters of base64. */
export const sriOf = (at: Member): string => textOf(at, isSri, SRI_NAME)
export const sriIn = (at: Member, key: string): string => textIn(at, key, isSri, SRI_NAME)

const SRI_NAME = 'sha512 integrity'
const isSri = (text: string): boolean => /^sha512-[A-Za-z0-9+/]{86}==$/.test(text)
