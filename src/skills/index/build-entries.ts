import { compareUtf8 } from '../../bundle/byte-order.ts'
import { ENTRY_FIELD_NAMES, LONGEST_ID, MENTIONABLE, type SkillEntry } from './entry.ts'
import type { SkillMetadata } from './read-metadata.ts'

/** Members that an entry takes over from the present index but that its `SKILL.md` may say anew. */
const UNKNOWN = { category: 'uncategorized', risk: 'unknown', source: 'unknown' } as const

/**
 * Entries of the skills that were found, sorted by id. What their frontmatter does not say is kept from the present index,
 * by path; other fields of the present entry are kept too.
 */
export const buildEntries = (
  found: readonly SkillMetadata[],
  present: readonly SkillEntry[],
): readonly SkillEntry[] => {
  const known = new Map(present.map((entry) => [entry.path, entry]))
  return found
    .map((skill) => entryOf(skill, known.get(skill.path)))
    .sort((a, b) => compareUtf8(a.id, b.id) || compareUtf8(a.path, b.path))
}

const entryOf = ({ path, fields }: SkillMetadata, known: SkillEntry | undefined): SkillEntry => {
  const folder = path.slice(path.lastIndexOf('/') + 1)
  const name = fields.name === undefined ? folder : oneLine(fields.name)
  const tags = fields.tags ?? known?.['tags']
  return {
    id: skillIdOf(path, fields.name),
    path,
    category: labelOf(fields.category) ?? known?.category ?? UNKNOWN.category,
    name,
    description: oneLine(fields.description ?? known?.description ?? ''),
    risk: labelOf(fields.risk) ?? known?.risk ?? UNKNOWN.risk,
    source: labelOf(fields.source) ?? known?.source ?? UNKNOWN.source,
    date_added: labelOf(fields.date_added) ?? known?.date_added ?? null,
    ...(tags === undefined ? {} : { tags }),
    ...othersOf(known),
  }
}

/** The name in the frontmatter where it can be mentioned, else that of the folder. */
export const skillIdOf = (path: string, name: string | undefined): string => {
  const id = name?.trim() ?? ''
  return MENTIONABLE.test(id) && id.length <= LONGEST_ID ? id : path.slice(path.lastIndexOf('/') + 1)
}

/** White space as one blank; the index and a file say the same when these agree. */
export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

const labelOf = (text: string | undefined): string | undefined => (text === undefined ? undefined : oneLine(text))

const OWN = new Set<string>([...ENTRY_FIELD_NAMES, 'tags'])

const othersOf = (known: SkillEntry | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(known ?? {}).filter(([field]) => !OWN.has(field)))

/** Text of an index: two blanks, a final newline; the same entries always give the same bytes. */
export const indexText = (entries: readonly SkillEntry[]): string => `${JSON.stringify(entries, null, 2)}\n`
