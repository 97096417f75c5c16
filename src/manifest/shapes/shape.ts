import type { Findings } from '../findings.ts'
import type { RuleCode } from '../rules/table.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The shape of a value in a manifest. One object checks values and describes them as JSON Schema, so that both always
 * agree. `code` is for a missing value or one of the wrong type.
 */
export interface Shape {
  readonly code: RuleCode
  /** Reports everything that is wrong with the current value of `findings`. */
  readonly check: (value: unknown, findings: Findings) => void
  /** For a single value: whether it is valid. Saves the walk a step for nearly every value. */
  readonly isValid?: (value: unknown) => boolean
  /** Always returns the same object. Made on the first call, because checking manifests never needs it. */
  readonly schema: () => JsonSchema
}

/** Checks a member of the current value. */
export const checkMember = (shape: Shape, value: unknown, key: string | number, findings: Findings): void => {
  if (shape.isValid !== undefined && shape.isValid(value)) return
  findings.enter(key)
  shape.check(value, findings)
  findings.leave()
}

/** Keys that are always allowed: notes of the author, and the address of the schema (rule 11). */
export const isExtensionKey = (key: string): boolean => key.startsWith('x-') || key === '$schema'
