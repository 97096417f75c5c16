import type { Findings } from '../findings.ts'
import { isObject, type UnknownRecord } from '../shapes/shape.ts'

/**
 * A rule that looks at several members at once. It gets whatever the manifest holds, sound or not, and says nothing about
 * members whose own shape is wrong: that has been said already.
 */
export type Relation = (manifest: UnknownRecord, findings: Findings, options: CheckOptions) => void

/** Relations, each with the member without which it has nothing to look at: absent, or an empty array. */
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

/** Calls for each string of what should be an array of strings that stood in it before. */
export const eachDuplicate = (value: unknown, found: (text: string, index: number) => void): void => {
  if (!Array.isArray(value) || value.length < 2) return
  const seen = new Set<string>()
  eachString(value, (text, index) => {
    if (seen.has(text)) found(text, index)
    seen.add(text)
  })
}

/** Who reads a manifest, and what for. */
export interface CheckOptions {
  /** Shipped with the program or the host: reserved ids are allowed (rule 12). Default false. */
  readonly firstParty?: boolean
  /** Name of the folder that holds the manifest; where it differs from the id a warning follows (rule 1). */
  readonly folder?: string | null
  /** Read in order to be used, not to be judged: an unknown lane handler is a warning only (rule 40). Default false. */
  readonly forLoading?: boolean
}
