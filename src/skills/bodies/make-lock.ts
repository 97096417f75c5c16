import type { Diagnostic } from '../../diagnostic.ts'
import { diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { SkillEntry } from '../index/entry.ts'
import { findLock } from '../index/open-index.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import type { LockedSkill, SkillsLock } from './lock-file.ts'
import { ofSkill } from './read-skills.ts'
import { skillDigest } from './skill-tree.ts'

/** Skills hashed before others get a turn. */
const AT_ONCE = 20

/**
 * The lock of a catalog as it is now.
 * @throws GsdError POLICY_SKILL_CONFINED, STATE_SKILL_MISSING naming the skill that cannot be locked
 */
export const makeLock = async (index: SkillsIndex): Promise<SkillsLock> => {
  const skills = new Map<string, LockedSkill>()
  for (const entry of ownOf(index)) {
    skills.set(entry.id, { path: entry.path, digest: digestOf(index, entry) })
    if (skills.size % AT_ONCE === 0) await otherWork()
  }
  return { index: index.integrity, skills }
}

export interface VerifyReport {
  /** Whether there is a lock, and all is as it was locked. */
  readonly verified: boolean
  readonly locked: boolean
  /** Skills that were compared. */
  readonly skills: number
  /** Ids that differ from the lock. */
  readonly changed: readonly string[]
  /** Ids in the lock and no more in the index. */
  readonly missing: readonly string[]
  /** Ids in the index and not in the lock. */
  readonly added: readonly string[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Compares a whole catalog with its lock. A catalog without one is not verified.
 * @throws GsdError MANIFEST_SKILLS_LOCK
 */
export const verifyCatalog = async (index: SkillsIndex): Promise<VerifyReport> => {
  const lock = findLock(index.disk, index.root)
  const findings: Diagnostic[] = []
  const changed: string[] = []
  const added: string[] = []
  const own = ownOf(index)
  for (const [at, entry] of own.entries()) {
    const locked = lock?.skills.get(entry.id)
    if (lock !== null && locked === undefined) added.push(entry.id)
    const finding = locked === undefined ? null : compare(index, entry, locked)
    if (finding !== null) {
      changed.push(entry.id)
      findings.push(finding)
    }
    if (at % AT_ONCE === AT_ONCE - 1) await otherWork()
  }
  const missing = [...(lock?.skills.keys() ?? [])].filter((id) => index.get(id) === undefined)
  const isSameIndex = lock === null || lock.index === index.integrity
  if (!isSameIndex) findings.unshift(differs('the index is not the one that was locked'))
  for (const id of added) findings.push(differs(`skill ${JSON.stringify(id)} is not in the lock`, id))
  for (const id of missing)
    findings.push(differs(`skill ${JSON.stringify(id)} is in the lock and not in the index`, id))
  const verified = lock !== null && findings.length === 0
  return { verified, locked: lock !== null, skills: own.length, changed, missing, added, findings }
}

const compare = (index: SkillsIndex, entry: SkillEntry, locked: LockedSkill): Diagnostic | null => {
  try {
    if (locked.path === entry.path && digestOf(index, entry) === locked.digest) return null
    return differs(`skill ${JSON.stringify(entry.id)} is not as it was locked`, entry.id)
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return diagnostic('error', error.code, error.message, { id: entry.id })
  }
}

const digestOf = (index: SkillsIndex, entry: SkillEntry): string =>
  ofSkill(entry.id, () => skillDigest(index.disk, index.rootOf(entry), entry.path))

/** Skills of installed capabilities are locked by the ledger, not by a catalog. */
const ownOf = (index: SkillsIndex): readonly SkillEntry[] =>
  index.entries.filter((entry) => index.rootOf(entry) === index.root)

const differs = (message: string, id?: string): Diagnostic =>
  diagnostic('error', 'INTEGRITY_SKILL_CHANGED', message, {
    ...(id === undefined ? {} : { id }),
    hint: 'look at what changed, then: gsd skills lock',
  })

const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
