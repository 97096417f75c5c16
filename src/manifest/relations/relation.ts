import type { CheckOptions } from '../check.ts'
import type { Findings } from '../findings.ts'
import { isObject, type Loose } from '../shape.ts'

/**
 * A rule that looks at several members at once. It gets whatever the manifest holds, sound or not, and says nothing about
 * members whose own shape is wrong: that has been said already.
 */
export type Relation = (manifest: Loose, findings: Findings, options: CheckOptions) => void

/** The strings of what should be an array of strings, with their places. */
export const stringsOf = (value: unknown): readonly (readonly [text: string, index: number])[] =>
  Array.isArray(value) ? value.flatMap((item, index) => (typeof item === 'string' ? [[item, index] as const] : [])) : []

/** The objects of what should be an array of objects, with their places. */
export const objectsOf = (value: unknown): readonly (readonly [item: Loose, index: number])[] =>
  Array.isArray(value) ? value.flatMap((item, index) => (isObject(item) ? [[item, index] as const] : [])) : []

/** The object, or an empty one. */
export const objectOf = (value: unknown): Loose => (isObject(value) ? value : NOTHING)

const NOTHING: Loose = Object.freeze({})

/** Calls for each string that stood in the list before. */
export const eachRepeated = (
  list: readonly (readonly [text: string, index: number])[],
  found: (text: string, index: number) => void,
): void => {
  const seen = new Set<string>()
  for (const [text, index] of list) {
    if (seen.has(text)) found(text, index)
    seen.add(text)
  }
}
