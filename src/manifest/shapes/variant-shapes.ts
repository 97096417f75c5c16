import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { isObject, type UnknownRecord } from '../json/object.ts'
import type { RuleCode } from '../rules/table.ts'
import { conditional, withMember, type JsonSchema } from './json-schema.ts'
import { choice, describeRule } from './leaf-shapes.ts'
import { createMemberCheck, memberSchema, refused, required, type Members } from './object-shapes.ts'
import { checkMember, type Shape } from './shape.ts'

/** The members of each kind of an object. */
export type VariantMembers = Readonly<Record<string, Members>>

interface VariantOptions {
  /** Name of the member that decides, and what it is reported as. */
  readonly discriminant: string
  readonly discriminantCode: RuleCode
  readonly kinds: VariantMembers
  /** What a member of another kind is reported as; without it, it is an unknown key. */
  readonly foreign?: RuleCode
}

/** An object one member of which decides what else it holds. */
export const variants = (code: RuleCode, { discriminant, discriminantCode, kinds, foreign }: VariantOptions): Shape => {
  const names = Object.keys(kinds)
  const kind = choice(discriminantCode, names)
  const whole = Object.fromEntries(
    names.map((name) => [name, { [discriminant]: required(kind), ...membersOfKind(kinds, name, foreign) }]),
  )
  const checks = createVariantChecks(whole)
  return {
    code,
    check: (value, findings) => {
      if (!isObject(value)) return findings.reportValue(code, value)
      const check = checks.get(value[discriminant])
      if (check !== undefined && Object.hasOwn(value, discriminant)) return check(value, findings)
      if (!Object.hasOwn(value, discriminant)) return findings.reportMissing(discriminantCode, discriminant)
      checkMember(kind, value[discriminant], discriminant, findings)
    },
    schema: lazy(() => ({
      ...describeRule(code),
      type: 'object',
      properties: { [discriminant]: kind.schema() },
      required: [discriminant],
      allOf: variantSchemas(discriminant, whole),
    })),
  }
}

/** The members of one kind, with those of the others refused. */
export const membersOfKind = (kinds: VariantMembers, name: string, foreign: RuleCode | undefined): Members => {
  const own = kinds[name] ?? {}
  if (foreign === undefined) return own
  const others = Object.values(kinds).flatMap((members) => Object.keys(members))
  return { ...Object.fromEntries(others.map((key) => [key, refused(foreign, name)])), ...own }
}

export const createVariantChecks = (
  kinds: VariantMembers,
): ReadonlyMap<unknown, (value: UnknownRecord, findings: Findings) => void> =>
  new Map(Object.entries(kinds).map(([name, members]) => [name, createMemberCheck(members, 'warn')]))

const variantSchemas = (by: string, kinds: VariantMembers): JsonSchema[] =>
  Object.entries(kinds).map(([name, members]) => conditional(withMember(by, name), memberSchema(members, 'warn')))
