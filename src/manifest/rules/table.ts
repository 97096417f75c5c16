import type { RuleCode } from '../../rule-codes.ts'
import { ENVELOPE_RULES } from './envelope.ts'
import { FEATURE_RULES } from './feature.ts'
import { LOOP_RULES } from './loop.ts'
import { PROGRAM_RULES } from './programs.ts'
import { READING_RULES } from './reading.ts'
import { REVIEWER_RULES } from './reviewer.ts'
import type { Rule } from './rule.ts'
import { RUNTIME_RULES } from './runtime.ts'

/** What each code demands and says. */
export const RULES: Readonly<Record<RuleCode, Rule>> = {
  ...READING_RULES,
  ...ENVELOPE_RULES,
  ...FEATURE_RULES,
  ...LOOP_RULES,
  ...PROGRAM_RULES,
  ...RUNTIME_RULES,
  ...REVIEWER_RULES,
} satisfies Record<RuleCode, Rule>
