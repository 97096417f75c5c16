import type { CheckOptions } from '../check.ts'
import type { Findings } from '../findings.ts'
import { isObject, type Loose } from '../shape.ts'

/**
 * A rule that looks at several members at once. It gets whatever the manifest holds, sound or not, and says nothing about
 * members whose own shape is wrong: that has been said already.
 */
export type Relation = (manifest: Loose, findings: Findings, options: CheckOptions) => void

/** Relations, each with the member without which it has nothing to look at: absent, or an empty array. */
export type Relations = readonly (readonly [member: string, relation: Relation])[]

/** An element together with its place in the array. */
export type Placed<T> = readonly [item: T, index: number]

/** The strings of what should be an array of strings, with their places. */
export const stringsOf = (value: unknown): readonly Placed<string>[] =>
  Array.isArray(value) && value.length > 0 ? placed(value, (item) => typeof item === 'string') : NONE

/** The objects of what should be an array of objects, with their places. */
export const objectsOf = (value: unknown): readonly Placed<Loose>[] =>
  Array.isArray(value) && value.length > 0 ? placed(value, isObject) : NONE

const NONE: readonly never[] = []

const placed = <T>(list: readonly unknown[], belongs: (item: unknown) => item is T): Placed<T>[] => {
  const found: Placed<T>[] = []
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (belongs(item)) found.push([item, index])
  }
  return found
}

/** The object, or an empty one. */
export const objectOf = (value: unknown): Loose => (isObject(value) ? value : NOTHING)

const NOTHING: Loose = Object.freeze({})

/** Calls for each string that stood in the list before. */
export const eachRepeated = (list: readonly Placed<string>[], found: (text: string, index: number) => void): void => {
  if (list.length < 2) return
  const seen = new Set<string>()
  for (const [text, index] of list) {
    if (seen.has(text)) found(text, index)
    seen.add(text)
  }
}
