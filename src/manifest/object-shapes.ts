import type { Findings } from './findings.ts'
import { having, once, type JsonSchema, type JsonSchemaObject } from './json-schema.ts'
import { described } from './leaf-shapes.ts'
import type { RuleCode } from './rule-codes.ts'
import { checkMember, isForbiddenKey, isFreeKey, isObject, type Loose, type Shape } from './shape.ts'

/** A member of an object: there must be one, there may be one, or there must be none. */
export type Member =
  | { readonly presence: 'required' | 'optional'; readonly shape: Shape }
  | { readonly presence: 'refused'; readonly code: RuleCode; readonly detail: string }

export type Members = Readonly<Record<string, Member>>

export const required = (shape: Shape): Member => ({ presence: 'required', shape })
export const optional = (shape: Shape): Member => ({ presence: 'optional', shape })
/** A member that belongs elsewhere; `detail` goes into the message. */
export const refused = (code: RuleCode, detail = ''): Member => ({ presence: 'refused', code, detail })

/** What becomes of unknown keys: a warning, an error, or nothing. */
export type Unknown = 'warn' | 'refuse' | 'free'

/** An object with known members. */
export const object = (code: RuleCode, members: Members, unknown: Unknown = 'warn'): Shape => {
  const check = memberCheck(members, unknown)
  return {
    code,
    check: (value, findings) => {
      if (isObject(value)) check(value, findings)
      else findings.wrong(code, value)
    },
    schema: once(() => ({ ...described(code), ...memberSchema(members, unknown) })),
  }
}

/** Checks the members of what is known to be an object. */
export const memberCheck = (members: Members, unknown: Unknown): ((value: Loose, findings: Findings) => void) => {
  const table = new Map(Object.entries(members))
  const known = [...table.keys()].filter((key) => table.get(key)?.presence !== 'refused')
  const due = known.filter((key) => table.get(key)?.presence === 'required')
  const unknownCode = unknown === 'refuse' ? 'MANIFEST_UNKNOWN_KEY_REFUSED' : 'MANIFEST_UNKNOWN_KEY'
  return (value, findings) => {
    let present = 0
    // Loops by index here: this runs for every object of thousands of manifests, most of them before anything is optimised.
    const keys = Object.keys(value)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      const member = table.get(key)
      if (member === undefined) {
        if (unknown !== 'free' && !isFreeKey(key) && !isForbiddenKey(key)) findings.key(unknownCode, key, { known })
        continue
      }
      if (member.presence === 'refused') {
        findings.key(member.code, key, { detail: member.detail })
        continue
      }
      if (member.presence === 'required') present++
      checkMember(member.shape, value[key], key, findings)
    }
    if (present < due.length) reportMissing(value, due, table, findings)
  }
}

const reportMissing = (
  value: Loose,
  due: readonly string[],
  table: ReadonlyMap<string, Member>,
  findings: Findings,
): void => {
  for (const key of due) {
    const member = table.get(key)
    if (member?.presence === 'required' && !Object.hasOwn(value, key)) findings.missing(member.shape.code, key)
  }
}

export const memberSchema = (members: Members, unknown: Unknown): JsonSchemaObject => {
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
    ...(unknown === 'refuse' ? { patternProperties: { [FREE_KEY]: true }, additionalProperties: false } : {}),
  }
}

const FREE_KEY = '^(?:x-.*|\\$schema)$'

/** An array whose elements all have one shape. */
export const list = (code: RuleCode, element: Shape, limits: ListLimits = {}): Shape => ({
  code,
  check: (value, findings) => {
    if (!Array.isArray(value) || (limits.filled && value.length === 0)) return findings.wrong(code, value)
    for (let index = 0; index < value.length; index++) checkMember(element, value[index], index, findings)
  },
  schema: once(() => ({
    ...described(code),
    type: 'array',
    items: element.schema(),
    ...(limits.filled ? { minItems: 1 } : {}),
    ...(limits.unique ? { uniqueItems: true } : {}),
  })),
})

interface ListLimits {
  /** At least one element. */
  readonly filled?: true
  /** Said to editors only: which element repeats another one is found by a rule of its own. */
  readonly unique?: true
}

/** What the keys of a map must be. */
export interface KeyRule {
  readonly code: RuleCode
  readonly pattern: RegExp
}

/** An object whose keys are of the author's choosing and whose values all have one shape. */
export const map = (code: RuleCode, keys: KeyRule | null, element: Shape): Shape => ({
  code,
  check: (value, findings) => {
    if (!isObject(value)) return findings.wrong(code, value)
    for (const key of Object.keys(value)) {
      if (keys !== null && !keys.pattern.test(key) && !isForbiddenKey(key)) findings.key(keys.code, key)
      checkMember(element, value[key], key, findings)
    }
  },
  schema: once(() => ({
    ...described(code),
    type: 'object',
    ...(keys === null ? {} : { propertyNames: { ...described(keys.code), pattern: keys.pattern.source } }),
    additionalProperties: element.schema(),
  })),
})

/** An object with exactly one of some members, and nothing else. */
export const exactlyOne = (code: RuleCode, shapes: Readonly<Record<string, Shape>>): Shape => {
  const names = Object.keys(shapes)
  const members = Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, optional(shape)]))
  const check = memberCheck(members, 'refuse')
  return {
    code,
    check: (value, findings) => {
      if (!isObject(value) || names.filter((name) => Object.hasOwn(value, name)).length !== 1)
        findings.wrong(code, value)
      if (isObject(value)) check(value, findings)
    },
    schema: once(() => ({
      ...described(code),
      ...memberSchema(members, 'refuse'),
      oneOf: names.map((name) => having(name)),
    })),
  }
}
