import type { Diagnostic } from '../../diagnostic.ts'
import { isObject } from './value-type.ts'

/** Who set a value; the first in the order of precedence that has the key wins. */
export type Origin = 'call' | 'project' | 'user' | 'default'

/** Line and column, both 1-based. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** One place that configuration values come from. */
export interface ConfigLayer {
  readonly origin: Exclude<Origin, 'default'>
  /** Absolute path; null for the flags of a call. */
  readonly file: string | null
  /** The object that holds the values. Members are read by own keys only. */
  readonly values: Readonly<Record<string, unknown>>
  /** Where a member stands in the file, by the keys on the way from the root of the file. */
  readonly locate: (path: readonly string[]) => Place | null
  /** Keys on the way from the root of the file to `values`. */
  readonly prefix: readonly string[]
}

/** The layers of one call in their order of precedence, with what was wrong with their files as a whole. */
export interface ConfigLayers {
  readonly layers: readonly ConfigLayer[]
  readonly warnings: readonly Diagnostic[]
}

/** A value as it stands in a layer, with the keys that lead to it. */
export interface FoundValue {
  readonly value: unknown
  readonly path: readonly string[]
}

/** The forms in which a layer holds a dotted key: member by member (which counts), and as one member with dots. */
export const findIn = (
  values: Readonly<Record<string, unknown>>,
  key: string,
): { readonly nested: FoundValue | null; readonly dotted: FoundValue | null } => {
  const path = key.split('.')
  let at: unknown = values
  for (const part of path) at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined
  const nested = at === undefined ? null : { value: at, path }
  if (path.length === 1) return { nested, dotted: null }
  const dotted = Object.hasOwn(values, key) ? { value: values[key], path: [key] } : null
  return { nested, dotted }
}
