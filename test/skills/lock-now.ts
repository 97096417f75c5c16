import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatLock } from '../../src/skills/bodies/lock-file.ts'
import { makeLock } from '../../src/skills/bodies/make-lock.ts'
import { openSkillsIndex } from '../../src/skills/index/open-index.ts'
import type { SkillsRoot } from './skills-root.ts'

/** Writes the lock of a root as it is now. */
export const lockNow = async ({ root }: SkillsRoot): Promise<void> => {
  const text = formatLock(await makeLock(openSkillsIndex(root, { lock: 'ignore' })))
  writeFileSync(join(root, 'skills_index.lock.json'), text)
}
