import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { FORBIDDEN_SEGMENT } from '../grammar.ts'
import { isForbiddenKey, isObject, type UnknownRecord } from '../json/object.ts'
import type { RuleCode } from '../rules/table.ts'
import { withMember, type JsonSchema, type JsonSchemaObject } from './json-schema.ts'
import { describeRule } from './leaf-shapes.ts'
import { checkMember, isExtensionKey, type Shape } from './shape.ts'

/** A member of an object: required, optional or not allowed. */
export type Member =
  | { readonly presence: 'required' | 'optional'; readonly shape: Shape }
  | { readonly presence: 'refused'; readonly code: RuleCode; readonly detail: string }

export type Members = Readonly<Record<string, Member>>

export const required = (shape: Shape): Member => ({ presence: 'required', shape })
export const optional = (shape: Shape): Member => ({ presence: 'optional', shape })
/** A member that is not allowed; `detail` is for the message. */
export const refused = (code: RuleCode, detail = ''): Member => ({ presence: 'refused', code, detail })

/** Unknown keys give a warning, an error, or nothing. */
export type UnknownKeys = 'warn' | 'refuse' | 'free'

/** An object with known members. */
export const object = (code: RuleCode, members: Members, unknown: UnknownKeys = 'warn'): Shape => {
  const check = createMemberCheck(members, unknown)
  return {
    code,
    check: (value, findings) => {
      if (isObject(value)) check(value, findings)
      else findings.reportValue(code, value)
    },
    schema: lazy(() => ({ ...describeRule(code), ...memberSchema(members, unknown) })),
  }
}

/**
 * Checks the members of an object. It runs for every object of thousands of manifests, mostly before the engine has
 * optimized anything: hence loops by index, and a plain record for each member.
 */
export const createMemberCheck = (
  members: Members,
  unknown: UnknownKeys,
): ((value: UnknownRecord, findings: Findings) => void) => {
  const table = new Map(Object.entries(members).map(([key, member]) => [key, toRow(member)]))
  const rows = [...table]
  const known = rows.flatMap(([key, { refusal }]) => (refusal === null ? [key] : []))
  const requiredRows = rows.filter(([, row]) => row.required)
  const unknownCode = unknown === 'refuse' ? 'MANIFEST_UNKNOWN_KEY_REFUSED' : 'MANIFEST_UNKNOWN_KEY'
  return (value, findings) => {
    const keys = Object.keys(value)
    let present = 0
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      const row = table.get(key)
      if (row === undefined) {
        if (unknown !== 'free' && !isExtensionKey(key) && !isForbiddenKey(key))
          findings.reportKey(unknownCode, key, { known })
      } else if (row.shape === null) {
        findings.reportKey(row.code, key, row.refusal ?? {})
      } else {
        if (row.required) present++
        if (row.isValid === null || !row.isValid(value[key])) checkMember(row.shape, value[key], key, findings)
      }
    }
    if (present === requiredRows.length) return
    for (const [key, { code }] of requiredRows) if (!Object.hasOwn(value, key)) findings.reportMissing(code, key)
  }
}

interface MemberRow {
  readonly code: RuleCode
  readonly required: boolean
  /** Null: not allowed. */
  readonly shape: Shape | null
  readonly isValid: ((value: unknown) => boolean) | null
  readonly refusal: { readonly detail: string } | null
}

const toRow = (member: Member): MemberRow =>
  member.presence === 'refused'
    ? { code: member.code, required: false, shape: null, isValid: null, refusal: { detail: member.detail } }
    : {
        code: member.shape.code,
        required: member.presence === 'required',
        shape: member.shape,
        isValid: member.shape.isValid ?? null,
        refusal: null,
      }

export const memberSchema = (members: Members, unknown: UnknownKeys): JsonSchemaObject => {
  const entries = Object.entries(members)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([key, member]): [string, JsonSchema] => [
        key,
        member.presence === 'refused' ? false : member.shape.schema(),
      ]),
    ),
    required: entries.flatMap(([key, member]) => (member.presence === 'required' ? [key] : [])),
    ...(unknown === 'refuse' ? { patternProperties: { [EXTENSION_KEY]: true }, additionalProperties: false } : {}),
  }
}

const EXTENSION_KEY = '^(?:x-.*|\\$schema)$'

/** An array whose elements all have one shape. */
export const list = (code: RuleCode, element: Shape, limits: ListLimits = {}): Shape => ({
  code,
  check: (value, findings) => {
    if (!Array.isArray(value) || (limits.nonEmpty && value.length === 0)) return findings.reportValue(code, value)
    for (let index = 0; index < value.length; index++) checkMember(element, value[index], index, findings)
  },
  schema: lazy(() => ({
    ...describeRule(code),
    type: 'array',
    items: element.schema(),
    ...(limits.nonEmpty ? { minItems: 1 } : {}),
    ...(limits.unique ? { uniqueItems: true } : {}),
  })),
})

interface ListLimits {
  /** At least one element. */
  readonly nonEmpty?: true
  /** For editors only: a relation reports repeated elements. */
  readonly unique?: true
}

/** What the keys of a map must be. */
export interface KeyRule {
  readonly code: RuleCode
  readonly pattern: RegExp
  /** Looked up by segments, so that each segment must be a valid key. */
  readonly dotted?: true
}

const checkKey = ({ code, pattern, dotted }: KeyRule, key: string, findings: Findings): void => {
  if (dotted && FORBIDDEN_SEGMENT.test(key)) findings.reportKey('MANIFEST_FORBIDDEN_KEY', key)
  else if (!pattern.test(key)) findings.reportKey(code, key)
}

const keySchema = ({ code, pattern, dotted }: KeyRule): JsonSchemaObject => ({
  ...describeRule(code),
  pattern: pattern.source,
  ...(dotted ? { not: { pattern: FORBIDDEN_SEGMENT.source } } : {}),
})

/** An object with free keys whose values all have one shape. */
export const map = (code: RuleCode, keys: KeyRule | null, element: Shape): Shape => ({
  code,
  check: (value, findings) => {
    if (!isObject(value)) return findings.reportValue(code, value)
    for (const key of Object.keys(value)) {
      if (keys !== null && !isForbiddenKey(key)) checkKey(keys, key, findings)
      checkMember(element, value[key], key, findings)
    }
  },
  schema: lazy(() => ({
    ...describeRule(code),
    type: 'object',
    ...(keys === null ? {} : { propertyNames: keySchema(keys) }),
    additionalProperties: element.schema(),
  })),
})

/** An object with exactly one of some members, and nothing else. */
export const exactlyOne = (code: RuleCode, shapes: Readonly<Record<string, Shape>>): Shape => {
  const names = Object.keys(shapes)
  const members = Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, optional(shape)]))
  const check = createMemberCheck(members, 'refuse')
  return {
    code,
    check: (value, findings) => {
      if (!isObject(value) || names.filter((name) => Object.hasOwn(value, name)).length !== 1)
        findings.reportValue(code, value)
      if (isObject(value)) check(value, findings)
    },
    schema: lazy(() => ({
      ...describeRule(code),
      ...memberSchema(members, 'refuse'),
      oneOf: names.map((name) => withMember(name)),
    })),
  }
}
