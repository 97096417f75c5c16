import { compareUtf8 } from '../../bundle/byte-order.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { readPresent } from '../bodies/confined-file.ts'
import { INDEX_FILE, MIRROR_FILE, SKILL_LIMITS } from '../limits.ts'
import { buildEntries, indexText } from './build-entries.ts'
import { CAPABILITY_FIELD, type SkillEntry } from './entry.ts'
import { findSkillFiles } from './find-skill-files.ts'
import { parseIndex } from './parse-index.ts'
import { readMetadata, type SkillMetadata } from './read-metadata.ts'
import type { FileWrite } from './write-files.ts'

/** What an index of the skills below a root would be; nothing has been written. */
export interface IndexPlan {
  readonly entries: readonly SkillEntry[]
  readonly text: string
  /** Files of the root that differ from it, with the bytes they have now; null: not there. */
  readonly writes: readonly FileWrite[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Plans the index of a root from its `SKILL.md` files and the present index.
 * @param installed Entries of installed capabilities, to be listed too
 * @throws GsdError MANIFEST_SKILL_DUPLICATE for two skills of one id; what a `SKILL.md` that cannot be read says;
 *   MANIFEST_SKILLS_INDEX when the present index cannot be read, so that nothing in it is lost
 */
export const planIndex = async (
  disk: Disk,
  root: string,
  installed: readonly SkillEntry[] = [],
): Promise<IndexPlan> => {
  const files = [INDEX_FILE, MIRROR_FILE].map((file) => ({
    file,
    before: readPresent(disk, root, file, SKILL_LIMITS.index),
  }))
  const present = presentEntries(files[0]?.before ?? null)
  const { paths, warnings } = findSkillFiles(disk, root)
  const { found, findings } = await readMetadata(disk, root, paths)
  const error = findings.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw unreadable(error, findings)
  const own = buildEntries(
    found,
    present.filter((entry) => entry[CAPABILITY_FIELD] === undefined),
  )
  requireUnique(own)
  const ids = new Set(own.map(({ id }) => id.toLowerCase()))
  const added = installed.filter(({ id }) => !ids.has(id.toLowerCase()))
  const entries = [...own, ...added].sort((a, b) => compareUtf8(a.id, b.id))
  const text = indexText(entries)
  const bytes = Buffer.from(text)
  return {
    entries,
    text,
    writes: files.filter(({ before }) => before === null || !bytes.equals(before)),
    warnings: [...warnings, ...findings, ...lackOf(found), ...shadowed(installed, ids)],
  }
}

const presentEntries = (bytes: Uint8Array | null): readonly SkillEntry[] => {
  if (bytes === null) return []
  const { entries, broken, findings } = parseIndex(bytes, { mode: 'compat' })
  if (!broken) return entries
  throw new GsdError('MANIFEST_SKILLS_INDEX', findings[0]?.message ?? 'the present index cannot be read', {
    hint: `correct ${INDEX_FILE}, or move it away and run gsd skills index; it also keeps categories, risks, sources and dates`,
  })
}

const requireUnique = (entries: readonly SkillEntry[]): void => {
  const seen = new Map<string, SkillEntry>()
  for (const entry of entries) {
    const twin = seen.get(entry.id.toLowerCase())
    if (twin !== undefined) {
      const message = `two skills have the id ${quote(entry.id)}: ${quote(twin.path)} and ${quote(entry.path)}`
      throw new GsdError('MANIFEST_SKILL_DUPLICATE', message, { hint: 'rename one: name: in its frontmatter' })
    }
    seen.set(entry.id.toLowerCase(), entry)
  }
}

const unreadable = (error: Diagnostic, findings: readonly Diagnostic[]): GsdError => {
  const code = error.code === 'POLICY_SKILL_CONFINED' ? error.code : 'STATE_SKILL_MISSING'
  return new GsdError(error.code === 'MANIFEST_SKILL_ENCODING' ? error.code : code, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    details: { findings },
  })
}

const lackOf = (found: readonly SkillMetadata[]): readonly Diagnostic[] =>
  found.flatMap(({ path, fields }) =>
    fields.description === undefined
      ? [
          diagnostic('warning', 'MANIFEST_SKILL_FRONTMATTER', `${quote(`${path}/SKILL.md`)} has no description`, {
            file: `${path}/SKILL.md`,
            hint: 'add description: to its frontmatter; search and agents go by it',
          }),
        ]
      : [],
  )

const shadowed = (installed: readonly SkillEntry[], ids: ReadonlySet<string>): readonly Diagnostic[] =>
  installed
    .filter(({ id }) => ids.has(id.toLowerCase()))
    .map(({ id }) =>
      diagnostic('warning', 'MANIFEST_SKILL_DUPLICATE', `the skill ${quote(id)} of a capability is in the root too`, {
        id,
        hint: 'the one in the root counts',
      }),
    )
