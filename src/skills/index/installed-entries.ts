import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { buildEntries } from './build-entries.ts'
import { CAPABILITY_FIELD, type SkillEntry } from './entry.ts'
import { findSkillFiles, type FoundSkills } from './find-skill-files.ts'
import { readMetadata } from './read-metadata.ts'

export interface InstalledEntries {
  readonly entries: readonly SkillEntry[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Entries of the skills that installed capabilities bring, each with the capability's id as its `gsd_capability`.
 * @param folders Real paths of the capabilities' folders by id
 */
export const installedEntries = async (disk: Disk, folders: ReadonlyMap<string, string>): Promise<InstalledEntries> => {
  const entries: SkillEntry[] = []
  const warnings: Diagnostic[] = []
  for (const [id, folder] of folders) {
    const { paths, warnings: odd } = findIn(disk, folder)
    const { found, findings } = await readMetadata(disk, folder, paths)
    const own = buildEntries(found, []).map((entry) => ({
      ...entry,
      source: `capability:${id}`,
      [CAPABILITY_FIELD]: id,
    }))
    entries.push(...own)
    warnings.push(...odd, ...findings.map((finding) => ({ ...finding, severity: 'warning' as const, id })))
  }
  return { entries, warnings }
}

/** A capability need not have skills. */
const findIn = (disk: Disk, folder: string): FoundSkills => {
  try {
    return findSkillFiles(disk, folder)
  } catch (error) {
    if (error instanceof GsdError && error.code === 'STATE_SKILL_MISSING') return { paths: [], warnings: [] }
    throw error
  }
}
