import { ENVELOPE_RULES } from './envelope.ts'
import { FEATURE_RULES } from './feature.ts'
import { LOOP_RULES } from './loop.ts'
import { PROGRAM_RULES } from './programs.ts'
import { READING_RULES } from './reading.ts'
import { REVIEWER_RULES } from './reviewer.ts'
import type { Rule } from './rule.ts'
import { RUNTIME_RULES } from './runtime.ts'

const ALL_RULES = {
  ...READING_RULES,
  ...ENVELOPE_RULES,
  ...FEATURE_RULES,
  ...LOOP_RULES,
  ...PROGRAM_RULES,
  ...RUNTIME_RULES,
  ...REVIEWER_RULES,
}

/** A rule of the manifest (1–42). Rules over several capabilities (43–48) have REGISTRY_ codes. */
export type RuleCode = keyof typeof ALL_RULES

/** What each code requires, and its message and hint. Schema and reference page are made from it. */
export const RULES: Readonly<Record<RuleCode, Rule>> = ALL_RULES

/** In the order of the rules. */
export const RULE_CODES = Object.keys(RULES) as readonly RuleCode[]
