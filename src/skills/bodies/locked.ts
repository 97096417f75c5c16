import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { SkillEntry } from '../index/entry.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import { skillDigest, type KnownFile } from './skill-tree.ts'

/**
 * Checks the files of a skill against the lock, where there is one.
 * @param known A file of the skill that is handed on; its bytes count as that file's
 * @throws GsdError INTEGRITY_SKILL_CHANGED; POLICY_SKILL_CONFINED for a link in the skill's folder
 */
export const requireLocked = (index: SkillsIndex, entry: SkillEntry, known?: KnownFile): void => {
  // What is installed is verified by the ledger.
  if (index.lock === null || index.rootOf(entry) !== index.root) return
  const locked = index.lock.skills.get(entry.id)
  if (locked === undefined) throw changed(entry.id, 'is not in the lock')
  if (locked.path !== entry.path) throw changed(entry.id, `is locked at ${quote(locked.path)}`)
  const found = skillDigest(index.disk, index.rootOf(entry), entry.path, known)
  if (found !== locked.digest) throw changed(entry.id, 'is not as it was locked', { locked: locked.digest, found })
}

const changed = (id: string, words: string, details?: unknown): GsdError =>
  new GsdError('INTEGRITY_SKILL_CHANGED', `skill ${quote(id)} ${words}`, {
    hint: 'look at what changed, then: gsd skills lock',
    details,
  })
