import { compareUtf8 } from '../../bundle/byte-order.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { attempt, below, entryStats, isAbsent, withFolder, type ConfinedFolder } from '../bodies/confined-folder.ts'
import { skillPathFault } from '../bodies/skill-path.ts'
import { SKILL_FILE, SKILL_LIMITS, SKILLS_FOLDER } from '../limits.ts'

export interface FoundSkills {
  /** Folders with a `SKILL.md`, relative to the root, in byte order. */
  readonly paths: readonly string[]
  readonly warnings: readonly Diagnostic[]
}

const PASSED_OVER = new Set(['node_modules', '.git'])

/**
 * Every folder below `skills/` that holds a `SKILL.md`, nested ones too. Links are not followed; what cannot be listed is
 * a warning.
 * @throws GsdError STATE_SKILL_MISSING where there is no `skills` folder, POLICY_SKILL_CONFINED where it is a link
 */
export const findSkillFiles = (disk: Disk, root: string): FoundSkills => {
  const paths: string[] = []
  const warnings: Diagnostic[] = []
  let entries = 0

  const warn = (folder: string, error: unknown): void => {
    if (!(error instanceof GsdError)) throw error
    warnings.push(diagnostic('warning', error.code, `${error.message}; it was passed over`, { path: `/${folder}` }))
  }

  const walk = (folder: ConfinedFolder, depth: number): void => {
    const names = attempt(folder.path, () => disk.readdirSync(folder.at('')))
    for (const name of names.toSorted(compareUtf8)) {
      if (++entries > SKILL_LIMITS.walk) throw tooMany(`more than ${SKILL_LIMITS.walk} files lie below "skills"`)
      if (PASSED_OVER.has(name)) continue
      const path = below(folder.path, name)
      try {
        if (name === SKILL_FILE) paths.push(folder.path)
        else if (entryStats(disk, folder.at(name), path).isDirectory()) enter(folder, name, depth)
      } catch (error) {
        if (error instanceof GsdError && error.code === 'MANIFEST_SKILLS_INDEX') throw error
        warn(path, error)
      }
    }
  }

  const enter = (folder: ConfinedFolder, name: string, depth: number): void => {
    if (depth === SKILL_LIMITS.walkDepth) throw tooMany(`"skills" is more than ${depth} folders deep`)
    const child = folder.child(name)
    try {
      walk(child, depth + 1)
      child.check()
    } finally {
      child.close()
    }
  }

  try {
    withFolder(disk, root, [SKILLS_FOLDER], (folder) => walk(folder, 0))
  } catch (error) {
    throw isAbsent(error) ? noSkills(error) : error
  }
  const usable = paths.filter((path) => {
    const fault = skillPathFault(path)
    if (fault === null) return true
    const message = `the path ${JSON.stringify(path)} ${fault}; it was passed over`
    return warnings.push(diagnostic('warning', 'MANIFEST_SKILL_PATH', message, { hint: 'rename the folder' })) < 0
  })
  return { paths: usable.sort(compareUtf8), warnings }
}

const noSkills = ({ message, cause }: GsdError): GsdError =>
  new GsdError('STATE_SKILL_MISSING', message, {
    hint: 'write skills/<name>/SKILL.md first, or name another root: gsd skills index <root>',
    cause,
  })

const tooMany = (message: string): GsdError =>
  new GsdError('MANIFEST_SKILLS_INDEX', message, { hint: 'move what is no skill elsewhere' })
