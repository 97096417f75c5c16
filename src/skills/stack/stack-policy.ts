import { quote } from '../../redact.ts'
import type { SkillEntry } from '../index/entry.ts'

/**
 * Which skills a stack may hold. Absent: no limit; an empty list allows nothing. A source may end in `*`, which stands for
 * any ending.
 */
export interface StackPolicy {
  readonly allow_risk?: readonly string[]
  readonly deny_risk?: readonly string[]
  readonly allow_source?: readonly string[]
  readonly deny_source?: readonly string[]
}

const FIELDS = ['allow_risk', 'deny_risk', 'allow_source', 'deny_source'] as const

/** A policy of the right shape, or the words that say what is wrong with it. */
export const parsePolicy = (value: unknown): StackPolicy | string => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'has a policy that is not an object'
  const unknown = Object.keys(value).find((key) => !(FIELDS as readonly string[]).includes(key))
  if (unknown !== undefined) return `has the unknown policy ${quote(unknown)}; there are ${FIELDS.join(', ')}`
  const wrong = Object.entries(value).find(([, list]) => !isTexts(list))
  return wrong === undefined ? value : `has a policy ${quote(wrong[0])} that is not a list of texts`
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === 'string')

/** Why a policy does not allow a skill, in words that follow its id; null when it does. */
export const policyRefusal = (
  policy: StackPolicy,
  { risk, source }: Pick<SkillEntry, 'risk' | 'source'>,
): string | null => {
  const {
    allow_risk: risks,
    deny_risk: deniedRisks = [],
    allow_source: sources,
    deny_source: deniedSources = [],
  } = policy
  if (deniedRisks.some((label) => isSame(label, risk)) || risks?.some((label) => isSame(label, risk)) === false)
    return `has the risk ${quote(risk)}, which the policy does not allow`
  if (deniedSources.some((from) => isSource(from, source)) || sources?.some((from) => isSource(from, source)) === false)
    return `has the source ${quote(source)}, which the policy does not allow`
  return null
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const isSource = (pattern: string, source: string): boolean =>
  pattern.endsWith('*') ? source.toLowerCase().startsWith(pattern.slice(0, -1).toLowerCase()) : isSame(pattern, source)
