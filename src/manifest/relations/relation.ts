import type { Findings } from '../findings.ts'
import { isObject, type UnknownRecord } from '../json/object.ts'

/**
 * A rule over several members. Its input may be invalid; it reports nothing about members with a wrong shape, because the
 * shapes report those.
 */
export type Relation = (manifest: UnknownRecord, findings: Findings, options: CheckOptions) => void

/** Relations, each with the member that it needs: it is skipped when that is absent or an empty array. */
export type Relations = readonly (readonly [member: string, relation: Relation])[]

/** The strings of what should be an array of strings. */
export const stringsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** Calls for each string of what should be an array of strings. */
export const eachString = (value: unknown, visit: (text: string, index: number) => void): void => {
  if (!Array.isArray(value)) return
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index]
    if (typeof item === 'string') visit(item, index)
  }
}

/** Calls for each object of what should be an array of objects. */
export const eachObject = (value: unknown, visit: (item: UnknownRecord, index: number) => void): void => {
  if (!Array.isArray(value)) return
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index]
    if (isObject(item)) visit(item, index)
  }
}

/** The object, or an empty one. */
export const objectOf = (value: unknown): UnknownRecord => (isObject(value) ? value : EMPTY_OBJECT)

const EMPTY_OBJECT: UnknownRecord = Object.freeze({})

/** Calls for each string that repeats an earlier one, in what should be an array of strings. */
export const eachDuplicate = (value: unknown, found: (text: string, index: number) => void): void => {
  if (!Array.isArray(value) || value.length < 2) return
  const seen = new Set<string>()
  eachString(value, (text, index) => {
    if (seen.has(text)) found(text, index)
    seen.add(text)
  })
}

/** What a manifest is read for. */
export interface CheckOptions {
  /** Shipped with the program or the host: reserved ids are allowed (rule 12). Default false. */
  readonly firstParty?: boolean
  /** Name of the folder of the manifest; a name other than the id gives a warning (rule 1). */
  readonly folder?: string | null
  /** Read to be used, not to be validated: an unknown lane handler is only a warning (rule 40). Default false. */
  readonly forLoading?: boolean
}
