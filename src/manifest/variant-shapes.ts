import type { Findings } from './findings.ts'
import { conditional, having, once, type JsonSchema } from './json-schema.ts'
import { choice, described } from './leaf-shapes.ts'
import { memberCheck, memberSchema, refused, required, type Members } from './object-shapes.ts'
import type { RuleCode } from './rule-codes.ts'
import { checkMember, isObject, type Loose, type Shape } from './shape.ts'

/** The members of each kind of an object. */
export type Kinds = Readonly<Record<string, Members>>

interface VariantOptions {
  /** Name of the member that decides, and what it is reported as. */
  readonly by: string
  readonly byCode: RuleCode
  readonly kinds: Kinds
  /** What a member of another kind is reported as; without it, it is an unknown key. */
  readonly foreign?: RuleCode
}

/** An object one member of which decides what else it holds. */
export const variants = (code: RuleCode, { by, byCode, kinds, foreign }: VariantOptions): Shape => {
  const names = Object.keys(kinds)
  const kind = choice(byCode, names)
  const whole = Object.fromEntries(
    names.map((name) => [name, { [by]: required(kind), ...membersOf(kinds, name, foreign) }]),
  )
  const checks = kindChecks(whole)
  return {
    code,
    check: (value, findings) => {
      if (!isObject(value)) return findings.wrong(code, value)
      const check = checks.get(value[by])
      if (check !== undefined && Object.hasOwn(value, by)) return check(value, findings)
      if (!Object.hasOwn(value, by)) return findings.missing(byCode, by)
      checkMember(kind, value[by], by, findings)
    },
    schema: once(() => ({
      ...described(code),
      type: 'object',
      properties: { [by]: kind.schema() },
      required: [by],
      allOf: kindSchemas(by, whole),
    })),
  }
}

/** The members of one kind, with those of the others refused. */
export const membersOf = (kinds: Kinds, name: string, foreign: RuleCode | undefined): Members => {
  const own = kinds[name] ?? {}
  if (foreign === undefined) return own
  const others = Object.values(kinds).flatMap((members) => Object.keys(members))
  return { ...Object.fromEntries(others.map((key) => [key, refused(foreign, name)])), ...own }
}

export const kindChecks = (kinds: Kinds): ReadonlyMap<unknown, (value: Loose, findings: Findings) => void> =>
  new Map(Object.entries(kinds).map(([name, members]) => [name, memberCheck(members, 'warn')]))

const kindSchemas = (by: string, kinds: Kinds): JsonSchema[] =>
  Object.entries(kinds).map(([name, members]) => conditional(having(by, name), memberSchema(members, 'warn')))
