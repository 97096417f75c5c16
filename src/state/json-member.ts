import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isObject } from './json-text.ts'
import { isNormalizedAbsolutePath } from './name-rules.ts'

/** A value of a file the program keeps, and where it stands. There are many, so each costs little until one is wrong. */
export interface Member {
  readonly value: unknown
  readonly key: string | number
  /** Null at the root. */
  readonly parent: Member | null
}

export const rootMember = (value: unknown): Member => ({ value, key: '', parent: null })

/** Ends the reading of a file: `what` is wrong with the member. Caught where the file was opened, and becomes a diagnostic. */
export const rejectMember = (at: Member, what: string): never => {
  const path = memberPath(at)
  const name = path.length === 0 ? 'the file' : quote(path.join('.'))
  throw new GsdError('STATE_UNREADABLE', `${name} ${what}`, { details: { path } })
}

const memberPath = (at: Member): (string | number)[] => (at.parent === null ? [] : [...memberPath(at.parent), at.key])

/** A member by its key; its value is undefined where there is none. */
export const memberOf = (at: Member, key: string): Member => {
  if (!isObject(at.value)) return rejectMember(at, 'is not an object')
  return { value: Object.hasOwn(at.value, key) ? at.value[key] : undefined, key, parent: at }
}

/** All members of an object that is used as a map; put them into a Map, not into an object. Keys must pass `isKey`. */
export const membersOf = (at: Member, isKey: (key: string) => boolean, keyName: string): [key: string, Member][] => {
  if (!isObject(at.value)) return rejectMember(at, 'is not an object')
  return Object.entries(at.value).map(([key, value]) => {
    const member = { value, key, parent: at }
    if (!isKey(key)) rejectMember(member, `is no ${keyName}`)
    return [key, member]
  })
}

export const itemsOf = (at: Member): Member[] =>
  Array.isArray(at.value)
    ? at.value.map((value: unknown, key) => ({ value, key, parent: at }))
    : rejectMember(at, 'is not a list')

/** A string without control characters that passes `test`. */
export const textOf = (at: Member, test: (text: string) => boolean = isAnyText, kind = 'text of one line'): string => {
  if (isText(at.value, test)) return at.value
  return rejectMember(at, `is no ${kind}: ${at.value === undefined ? 'it is missing' : quote(at.value)}`)
}

/** The same for the member of an object, for readers that look at very many: nothing is made of one that is right. */
export const textIn = (at: Member, key: string, test?: (text: string) => boolean, kind?: string): string => {
  const { value } = at
  const member = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isText(member, test ?? isAnyText) ? member : textOf(memberOf(at, key), test, kind)
}

const isText = (value: unknown, test: (text: string) => boolean): value is string =>
  typeof value === 'string' && !CONTROL.test(value) && test(value)

const CONTROL = /[\u0000-\u001f\u007f]/
const isAnyText = (): boolean => true

/** Any string, line breaks and all. */
export const stringOf = (at: Member): string =>
  typeof at.value === 'string' ? at.value : rejectMember(at, `is no text: ${quote(at.value)}`)

/** An absolute path without detours. It may hold whatever a file name may hold. */
export const pathOf = (at: Member): string =>
  typeof at.value === 'string' && isNormalizedAbsolutePath(at.value)
    ? at.value
    : rejectMember(at, `is no absolute path: ${quote(at.value)}`)

export const numberOf = (at: Member): number =>
  typeof at.value === 'number' ? at.value : rejectMember(at, `is no number: ${quote(at.value)}`)

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
