import type { RuleCode } from '../../rule-codes.ts'
import type { Findings } from '../findings.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * What a value of a manifest must look like. The same object checks a value and describes itself as JSON Schema, so that
 * both cannot drift apart. `code` is what a missing or wrongly typed value is reported as.
 */
export interface Shape {
  readonly code: RuleCode
  /** Reports everything that is wrong with the value where the walk of `findings` is. */
  readonly check: (value: unknown, findings: Findings) => void
  /** Of a single value: whether it is sound. Spares the walk a step, and nearly every value is. */
  readonly isValid?: (value: unknown) => boolean
  /** Always the same object. Made when somebody asks: judging manifests never does. */
  readonly schema: () => JsonSchema
}

/** Checks a member of the value where the walk is. */
export const checkMember = (shape: Shape, value: unknown, key: string | number, findings: Findings): void => {
  if (shape.isValid !== undefined && shape.isValid(value)) return
  findings.enter(key)
  shape.check(value, findings)
  findings.leave()
}

/** A value as `JSON.parse` makes objects; own keys only. */
export type UnknownRecord = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keys anybody may add: notes of the author, and the reference to the schema (rule 11). */
export const isExtensionKey = (key: string): boolean => key.startsWith('x-') || key === '$schema'

/** Keys under which a look-up would meet a prototype; refused everywhere by the walk over the whole manifest. */
export const isForbiddenKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype'
