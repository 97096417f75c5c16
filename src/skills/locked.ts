import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { SkillEntry } from './entry.ts'
import { skillDigest } from './skill-tree.ts'
import type { SkillsIndex } from './skills-index.ts'

/**
 * Checks the files of a skill against the lock, where there is one.
 * @param body Bytes of `SKILL.md` that are handed on; they count as that file
 * @throws GsdError INTEGRITY_SKILL_CHANGED; POLICY_SKILL_CONFINED for a link in the skill's folder
 */
export const requireLocked = (index: SkillsIndex, entry: SkillEntry, body?: Uint8Array): void => {
  // What is installed is verified by the ledger.
  if (index.lock === null || index.rootOf(entry) !== index.root) return
  const locked = index.lock.skills.get(entry.id)
  if (locked === undefined) throw changed(entry.id, 'is not in the lock')
  if (locked.path !== entry.path) throw changed(entry.id, `is locked at ${quote(locked.path)}`)
  const found = skillDigest(index.disk, index.rootOf(entry), entry.path, body)
  if (found !== locked.digest) throw changed(entry.id, 'is not as it was locked', { locked: locked.digest, found })
}

const changed = (id: string, words: string, details?: unknown): GsdError =>
  new GsdError('INTEGRITY_SKILL_CHANGED', `skill ${quote(id)} ${words}`, {
    hint: 'look at what changed, then: gsd skills lock',
    details,
  })
