/** Codes of the manifest rules (numbered page) and of the rules over the merged set. */
export const RULE_CODES = [
  'MANIFEST_SYNTAX',
] as const

export type RuleCode = (typeof RULE_CODES)[number]
