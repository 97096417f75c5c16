import type { Findings } from './findings.ts'
import { isObject, type UnknownRecord } from './json/object.ts'
import { ENVELOPE_RELATIONS } from './relations/envelope.ts'
import { CONFIG_RELATIONS, FEATURE_RELATIONS } from './relations/feature.ts'
import { LOOP_RELATIONS } from './relations/loop.ts'
import { PROGRAM_RELATIONS } from './relations/programs.ts'
import type { CheckOptions, Relations } from './relations/relation.ts'
import { REVIEWER_RELATIONS } from './relations/reviewer.ts'
import { RUNTIME_RELATIONS } from './relations/runtime.ts'
import { SECRET_RELATIONS } from './relations/secrets.ts'
import { ROLES } from './schema/envelope.ts'
import { ENVELOPE_ONLY, type KnownRole, MANIFEST_SHAPES } from './schema/roles.ts'

const RELATIONS = {
  feature: [
    ...ENVELOPE_RELATIONS,
    ...FEATURE_RELATIONS,
    ...CONFIG_RELATIONS,
    ...LOOP_RELATIONS,
    ...PROGRAM_RELATIONS,
    ...SECRET_RELATIONS,
  ],
  runtime: [
    ...ENVELOPE_RELATIONS,
    ...CONFIG_RELATIONS,
    ...PROGRAM_RELATIONS,
    ...SECRET_RELATIONS,
    ...RUNTIME_RELATIONS,
    ...REVIEWER_RELATIONS,
  ],
  reviewer: [...ENVELOPE_RELATIONS, ...CONFIG_RELATIONS, ...REVIEWER_RELATIONS, ...SECRET_RELATIONS],
} as const satisfies Record<KnownRole, Relations>

/** Rules 1–42 over a JSON value within the depth limit. */
export const applyRules = (value: unknown, findings: Findings, options: CheckOptions): void => {
  if (!isObject(value)) return findings.reportValue('MANIFEST_NOT_AN_OBJECT', value)
  const role = ROLES.find((known) => known === value['role'])
  if (role === undefined) {
    reportRole(value['role'], Object.hasOwn(value, 'role'), findings)
    ENVELOPE_ONLY.check(value, findings)
    applyRelations(ENVELOPE_RELATIONS, value, findings, options)
  } else {
    MANIFEST_SHAPES[role].check(value, findings)
    applyRelations(RELATIONS[role], value, findings, options)
  }
}

/** Skips relations whose member is absent or empty, as most are. */
const applyRelations = (
  relations: Relations,
  value: UnknownRecord,
  findings: Findings,
  options: CheckOptions,
): void => {
  for (let i = 0; i < relations.length; i++) {
    const [member, relation] = relations[i] as Relations[number]
    const subject = value[member]
    if (subject === undefined || (Array.isArray(subject) && subject.length === 0)) continue
    relation(value, findings, options)
  }
}

/** Rule 2: another text may be a role of a newer version. */
const reportRole = (role: unknown, given: boolean, findings: Findings): void => {
  if (!given) findings.reportMissing('MANIFEST_ROLE', 'role')
  else findings.reportAt(['role'], typeof role === 'string' ? 'MANIFEST_ROLE_UNKNOWN' : 'MANIFEST_ROLE', role)
}
