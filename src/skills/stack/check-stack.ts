import { compareUtf8 } from '../../bundle/byte-order.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { requireLocked } from '../bodies/locked.ts'
import { entryOf, ofSkill } from '../bodies/read-skills.ts'
import { skillDigest } from '../bodies/skill-tree.ts'
import type { SkillEntry } from '../index/entry.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import { policyRefusal, type StackPolicy } from './stack-policy.ts'
import type { Stack, StackSkill } from './stack.ts'

export interface ComposedStack {
  /** Skills that may not be in it are left out. */
  readonly stack: Stack
  /** Why ids were left out; empty when the stack is as it was wanted. */
  readonly findings: readonly Diagnostic[]
}

/** A stack of exactly these ids, in memory: each in the catalog, allowed by the policy, and hashed. Never throws for an id. */
export const composeStack = (index: SkillsIndex, ids: readonly string[], policy: StackPolicy): ComposedStack => {
  const skills: StackSkill[] = []
  const findings: Diagnostic[] = []
  for (const id of new Set(ids)) {
    const skill = composed(index, id, policy)
    if ('severity' in skill) findings.push(skill)
    else skills.push(skill)
  }
  skills.sort((a, b) => compareUtf8(a.id, b.id))
  return { stack: { schema: 1, catalog: { integrity: index.integrity }, policy, skills }, findings }
}

const composed = (index: SkillsIndex, id: string, policy: StackPolicy): StackSkill | Diagnostic =>
  orFinding(id, () => {
    const entry = entryOf(index, id)
    requireAllowed(policy, entry)
    requireLocked(index, entry)
    const { path, risk, source } = entry
    return { id, path, risk, source, digest: digestOf(index, entry) }
  })

/**
 * Judges a stack against the catalog as it is now: the catalog's identity, each id exactly, the policy by the risk and
 * source the catalog gives now, and the content of each skill.
 */
export const checkStack = (index: SkillsIndex, stack: Stack): readonly Diagnostic[] => {
  const findings = stack.skills.flatMap((skill) => {
    const finding = checkSkill(index, skill, stack.policy)
    return finding === null ? [] : [finding]
  })
  if (stack.catalog.integrity === index.integrity) return findings
  const message = 'the stack was made from another index than the one that is there'
  return [diagnostic('error', 'STATE_SKILLS_DRIFT', message, { hint: RECOMPOSE }), ...findings]
}

const RECOMPOSE = 'look at what changed, then: gsd skills stack compose <id>…'

const checkSkill = (index: SkillsIndex, skill: StackSkill, policy: StackPolicy): Diagnostic | null =>
  orFinding(skill.id, () => {
    const entry = entryOf(index, skill.id)
    requireAllowed(policy, entry)
    const isMoved = entry.path !== skill.path || entry.risk !== skill.risk || entry.source !== skill.source
    if (isMoved || digestOf(index, entry) !== skill.digest)
      throw new GsdError('INTEGRITY_SKILL_CHANGED', `skill ${quote(skill.id)} is not the one in the stack`, {
        hint: RECOMPOSE,
      })
    requireLocked(index, entry)
    return null
  })

const requireAllowed = (policy: StackPolicy, entry: SkillEntry): void => {
  const words = policyRefusal(policy, entry)
  if (words === null) return
  throw new GsdError('POLICY_SKILL_STACK', `skill ${quote(entry.id)} ${words}`, {
    hint: 'choose another skill, or change the policy',
  })
}

const digestOf = (index: SkillsIndex, entry: SkillEntry): string =>
  ofSkill(entry.id, () => skillDigest(index.disk, index.rootOf(entry), entry.path))

const orFinding = <T>(id: string, work: () => T): T | Diagnostic => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    return diagnostic('error', error.code, error.message, { id, ...hint })
  }
}
