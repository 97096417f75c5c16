import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { FORBIDDEN_SEGMENT } from '../grammar.ts'
import type { RuleCode } from '../rules/table.ts'
import { RULES } from '../rules/table.ts'
import { type JsonSchemaObject, refine } from './json-schema.ts'
import type { Shape } from './shape.ts'

interface TextLimits {
  readonly pattern?: RegExp
  /** Characters that are not only white space. */
  readonly nonBlank?: true
  /** In Unicode characters, as JSON Schema counts. */
  readonly max?: number
  /** What a pattern cannot express; not part of the schema. */
  readonly test?: (text: string) => boolean
  /** For editors: what a relation checks. */
  readonly extraSchema?: JsonSchemaObject
}

/** A string. */
export const text = (code: RuleCode, limits: TextLimits = {}): Shape => {
  const pattern = limits.pattern ?? (limits.nonBlank ? NON_BLANK : undefined)
  const { max, test } = limits
  return leaf(code, createTextTest(pattern, max, test), () => ({
    type: 'string',
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
    ...(max === undefined ? {} : { maxLength: max }),
    ...limits.extraSchema,
  }))
}

/** A text that is used for look-ups: no segment of it may reach a prototype. */
export const nameText = (code: RuleCode, limits: TextLimits): Shape => {
  const { isValid, schema } = text(code, limits)
  const isValidName = (value: unknown): boolean => isValid?.(value) === true && !FORBIDDEN_SEGMENT.test(value as string)
  return {
    code,
    check: (value, findings) => {
      const forbidden = typeof value === 'string' && FORBIDDEN_SEGMENT.test(value)
      if (!isValidName(value)) findings.reportValue(forbidden ? 'MANIFEST_FORBIDDEN_KEY' : code, value)
    },
    isValid: isValidName,
    schema: lazy(() => refine(schema(), { allOf: [{ not: { pattern: FORBIDDEN_SEGMENT.source } }] })),
  }
}

/** The simplest test for the limits: most texts have a pattern and nothing else. */
const createTextTest = (
  pattern: RegExp | undefined,
  max: number | undefined,
  test: TextLimits['test'],
): ((value: unknown) => boolean) => {
  if (max === undefined && test === undefined) {
    if (pattern === undefined) return (value) => typeof value === 'string'
    return (value) => typeof value === 'string' && pattern.test(value)
  }
  return (value) =>
    typeof value === 'string' &&
    (pattern === undefined || pattern.test(value)) &&
    (max === undefined || value.length <= max || [...value].length <= max) &&
    (test === undefined || test(value))
}

const NON_BLANK = /\S/

/** One of a closed list of values. */
export const choice = (code: RuleCode, values: readonly (string | number | null)[]): Shape => {
  const set = new Set<unknown>(values)
  return leaf(
    code,
    (value) => set.has(value),
    () => ({ enum: values }),
  )
}

export const flag = (code: RuleCode): Shape =>
  leaf(
    code,
    (value) => typeof value === 'boolean',
    () => ({ type: 'boolean' }),
  )

interface NumberLimits {
  readonly whole?: true
  readonly max?: number
}

/** A finite number above 0. */
export const positive = (code: RuleCode, { whole, max }: NumberLimits = {}): Shape =>
  leaf(
    code,
    (value) =>
      typeof value === 'number' &&
      Number.isFinite(value) &&
      value > 0 &&
      (max === undefined || value <= max) &&
      (whole === undefined || Number.isInteger(value)),
    () => ({
      type: whole ? 'integer' : 'number',
      exclusiveMinimum: 0,
      ...(max === undefined ? {} : { maximum: max }),
    }),
  )

/** Any value. */
export const unconstrained = (code: RuleCode, description: string): Shape =>
  leaf(
    code,
    () => true,
    () => ({ description }),
  )

/** The shape, or null. */
export const orNull = (shape: Shape): Shape => ({
  code: shape.code,
  check: (value, findings) => {
    if (value !== null) shape.check(value, findings)
  },
  isValid: (value) => value === null || (shape.isValid !== undefined && shape.isValid(value)),
  schema: lazy(() => ({ ...describeRule(shape.code), anyOf: [{ type: 'null' }, shape.schema()] })),
})

/** A shape of a single value, checked by a test; the requirement of its rule describes its schema. */
export const leaf = (code: RuleCode, isValid: (value: unknown) => boolean, schema: () => JsonSchemaObject): Shape => ({
  code,
  check: (value: unknown, findings: Findings) => {
    if (!isValid(value)) findings.reportValue(code, value)
  },
  isValid,
  schema: lazy(() => ({ ...describeRule(code), ...schema() })),
})

/** The requirement of a rule as the description of a schema. */
export const describeRule = (code: RuleCode): JsonSchemaObject => ({ description: RULES[code].requirement })
