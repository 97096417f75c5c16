import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { readConfined } from '../bodies/confined-file.ts'
import { INDEX_FILE, MIRROR_FILE, SKILL_LIMITS } from '../limits.ts'
import { oneLine, skillIdOf } from './build-entries.ts'
import type { SkillEntry } from './entry.ts'
import { findSkillFiles } from './find-skill-files.ts'
import { readIndexBytes } from './open-index.ts'
import { parseIndex } from './parse-index.ts'
import { readMetadata, type SkillMetadata } from './read-metadata.ts'

export interface CheckReport {
  /** Entries that were read. */
  readonly entries: number
  /** SKILL.md files that were found. */
  readonly skills: number
  readonly findings: readonly Diagnostic[]
}

/**
 * Judges the index of a root: its form (strict), its mirror, that each path is there, and that it says what the `SKILL.md`
 * files say (path, id, name and description, white space aside). Writes nothing.
 * @param isInstalled Whether an entry belongs to an installed capability, whose files do not lie below this root
 * @throws GsdError STATE_NO_SKILLS_INDEX, POLICY_SKILL_CONFINED when there is no index to judge
 */
export const checkIndex = async (
  disk: Disk,
  root: string,
  isInstalled: (entry: SkillEntry) => boolean = () => false,
): Promise<CheckReport> => {
  const bytes = readIndexBytes(disk, root)
  const { entries, findings, broken } = parseIndex(bytes, { mode: 'strict' })
  const mirror = mirrorFindings(disk, root, bytes)
  if (broken) return { entries: 0, skills: 0, findings: [...findings, ...mirror] }
  const walked = walk(disk, root)
  const { found, findings: unreadable } = await readMetadata(disk, root, walked.paths)
  const own = entries.filter((entry) => !isInstalled(entry))
  const stale = staleFindings(own, found, new Set(walked.paths))
  return {
    entries: entries.length,
    skills: found.length,
    findings: [...findings, ...mirror, ...walked.findings, ...unreadable, ...stale],
  }
}

const mirrorFindings = (disk: Disk, root: string, bytes: Uint8Array): readonly Diagnostic[] => {
  try {
    const mirror = readConfined(disk, root, MIRROR_FILE, SKILL_LIMITS.index).bytes
    return Buffer.from(bytes).equals(mirror)
      ? []
      : [drift(`${quote(MIRROR_FILE)} is not the same as ${quote(INDEX_FILE)}`)]
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    if (error.code === 'STATE_SKILL_MISSING') return [drift(error.message)]
    return [diagnostic('error', error.code, error.message, { file: MIRROR_FILE })]
  }
}

const walk = (
  disk: Disk,
  root: string,
): { readonly paths: readonly string[]; readonly findings: readonly Diagnostic[] } => {
  try {
    const { paths, warnings } = findSkillFiles(disk, root)
    return { paths, findings: warnings }
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    if (error.code === 'STATE_SKILL_MISSING') return { paths: [], findings: [] }
    return { paths: [], findings: [diagnostic('error', error.code, error.message)] }
  }
}

const staleFindings = (
  entries: readonly SkillEntry[],
  found: readonly SkillMetadata[],
  paths: ReadonlySet<string>,
): readonly Diagnostic[] => {
  const byPath = new Map(found.map((skill) => [skill.path, skill]))
  const listed = new Set(entries.map(({ path }) => path))
  const missing = entries
    .filter(({ path }) => !paths.has(path))
    .map(({ id, path }) => {
      const message = `skill ${quote(id)}: there is no ${quote(`${path}/SKILL.md`)}`
      return diagnostic('error', 'STATE_SKILL_MISSING', message, { id, file: INDEX_FILE, hint: REWRITE })
    })
  const differing = entries.flatMap((entry) => {
    const skill = byPath.get(entry.path)
    return skill === undefined ? [] : differences(entry, skill)
  })
  const unlisted = found
    .filter(({ path }) => !listed.has(path))
    .map(({ path }) => drift(`${quote(`${path}/SKILL.md`)} is not in the index`))
  return capped([...missing, ...differing, ...unlisted])
}

const differences = (entry: SkillEntry, { path, fields }: SkillMetadata): readonly Diagnostic[] => {
  const id = skillIdOf(path, fields.name)
  const name = oneLine(fields.name ?? id)
  const { description } = fields
  return [
    ...(entry.id === id ? [] : [differs(entry, 'id', id)]),
    ...(oneLine(entry.name) === name ? [] : [differs(entry, 'name', name)]),
    ...(description === undefined || oneLine(entry.description) === oneLine(description)
      ? []
      : [differs(entry, 'description', oneLine(description))]),
  ]
}

const REWRITE = 'gsd skills index'

const differs = (entry: SkillEntry, field: 'id' | 'name' | 'description', now: string): Diagnostic =>
  drift(`skill ${quote(entry.id)}: its ${field} is ${quote(now)} in ${quote(`${entry.path}/SKILL.md`)}`, entry.id)

const drift = (message: string, id?: string): Diagnostic =>
  diagnostic('error', 'STATE_SKILLS_DRIFT', message, {
    ...(id === undefined ? {} : { id }),
    file: INDEX_FILE,
    hint: REWRITE,
  })

const capped = (findings: readonly Diagnostic[]): readonly Diagnostic[] => {
  const more = findings.length - SKILL_LIMITS.findings
  return more <= 0
    ? findings
    : [...findings.slice(0, SKILL_LIMITS.findings), drift(`${more} more findings are not shown`)]
}
