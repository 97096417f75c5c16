import { GsdError } from '../../errors.ts'
import { decodeUtf8 } from '../../manifest/json/decode-utf8.ts'
import { quote } from '../../redact.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import { readConfined } from './confined-file.ts'
import { below } from './confined-folder.ts'
import { requireLocked } from './locked.ts'
import { entryOf, ofSkill } from './read-skills.ts'
import { plainPathFault } from './skill-path.ts'

/**
 * Bytes of a text file in a skill's folder, as it was locked where there is a lock.
 * @param path Plain names, relative to the skill's folder
 * @throws GsdError like `readSkills`; MANIFEST_SKILL_PATH for a path that is not plain
 */
export const readSkillFile = (index: SkillsIndex, id: string, path: string, limit: number): Uint8Array => {
  const entry = entryOf(index, id)
  const fault = plainPathFault(path)
  if (fault !== null)
    throw new GsdError('MANIFEST_SKILL_PATH', `the path ${quote(path)} ${fault}`, { hint: 'name a file of the skill' })
  const { bytes } = ofSkill(id, () => readConfined(index.disk, index.rootOf(entry), below(entry.path, path), limit))
  requireLocked(index, entry, { path, bytes })
  const { error } = decodeUtf8(bytes)
  if (error === null) return bytes
  throw new GsdError('MANIFEST_SKILL_ENCODING', `skill ${quote(id)}: ${quote(path)} is not UTF-8: ${error.words}`, {
    hint: 'only text files are read',
  })
}
