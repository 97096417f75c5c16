import type { Diagnostic } from '../../diagnostic.ts'
import type { Disk } from '../../platform/disk.ts'
import { sha512Integrity } from '../../platform/hash.ts'
import { indexText } from './build-entries.ts'
import { installedEntries } from './installed-entries.ts'
import { indexOf } from './open-index.ts'
import { parseIndex } from './parse-index.ts'
import type { SkillsIndex } from './skills-index.ts'

/**
 * An index of what installed capabilities bring, made in memory from their `SKILL.md` files.
 * @param root Folder that entries of no capability would be relative to; there are none
 */
export const openInstalledIndex = async (
  disk: Disk,
  root: string,
  installed: ReadonlyMap<string, string>,
): Promise<{ readonly index: SkillsIndex; readonly warnings: readonly Diagnostic[] }> => {
  const { entries, warnings } = await installedEntries(disk, installed)
  const bytes = Buffer.from(indexText(entries))
  const parsed = parseIndex(bytes, { mode: 'compat' })
  const index = indexOf(parsed, { root, integrity: sha512Integrity(bytes), lock: null, disk, installed })
  return { index, warnings: [...warnings, ...index.warnings] }
}
