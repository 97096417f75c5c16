import type { SkillEntry } from '../index/entry.ts'
import { SKILLS_FOLDER } from '../limits.ts'

const PREFIX = `${SKILLS_FOLDER}/`

/** Finds entries by what a mention says. */
export interface MentionResolver {
  /**
   * The entry of exactly this id; else the only one of this id without case; else the one whose folder below `skills/` it
   * names. The mention may start with `skills/`.
   */
  find(mention: string): SkillEntry | null
  /** Up to three ids that may have been meant. */
  suggest(mention: string): readonly string[]
}

export const mentionResolver = (entries: readonly SkillEntry[]): MentionResolver => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  // Most mentions are exact, and need none of these.
  let fold: Groups | null = null
  let folders: Groups | null = null
  const byFold = (): Groups => (fold ??= groupsOf(entries, ({ id }) => id.toLowerCase()))
  const byPath = (): Groups => (folders ??= groupsOf(entries, ({ path }) => path.slice(PREFIX.length)))
  return {
    find(mention) {
      const short = mention.startsWith(PREFIX) ? mention.slice(PREFIX.length) : mention
      const exact = byId.get(mention) ?? byId.get(short)
      if (exact !== undefined) return exact
      const group = byFold().get(mention.toLowerCase()) ?? byFold().get(short.toLowerCase())
      if (group !== undefined) return only(group)
      return only(byPath().get(short))
    },
    suggest: (mention) => suggestionsFor(mention, entries, byFold()),
  }
}

const only = (group: readonly SkillEntry[] | undefined): SkillEntry | null =>
  group?.length === 1 ? (group[0] ?? null) : null

type Groups = ReadonlyMap<string, readonly SkillEntry[]>

const groupsOf = (entries: readonly SkillEntry[], key: (entry: SkillEntry) => string): Groups => {
  const groups = new Map<string, SkillEntry[]>()
  for (const entry of entries) {
    const group = groups.get(key(entry))
    if (group === undefined) groups.set(key(entry), [entry])
    else group.push(entry)
  }
  return groups
}

const MOST = 3
const LONGEST = 64

const suggestionsFor = (mention: string, entries: readonly SkillEntry[], byFold: Groups): readonly string[] => {
  if (mention.length > LONGEST) return []
  const wanted = mention.toLowerCase()
  const twins = byFold.get(wanted) ?? []
  const scored = entries.flatMap(({ id }) => {
    const score = likeness(wanted, id.toLowerCase())
    return score > 0 ? [{ id, score }] : []
  })
  scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  return [...new Set([...twins, ...scored].map(({ id }) => id))].slice(0, MOST)
}

/** 0 for ids that nobody meant; pairs of neighbouring letters in common, and more where one id starts with the other. */
const likeness = (wanted: string, id: string): number => {
  if (id.length > LONGEST) return 0
  const a = pairsOf(wanted)
  const b = pairsOf(id)
  let common = 0
  for (const pair of a) if (b.has(pair)) common += 1
  const score = (2 * common) / (a.size + b.size)
  const starts = id.startsWith(`${wanted}-`) || wanted.startsWith(`${id}-`)
  return starts ? score + 0.5 : score >= 0.5 ? score : 0
}

const pairsOf = (text: string): ReadonlySet<string> => {
  const marked = `^${text}$`
  const pairs = new Set<string>()
  for (let at = 1; at < marked.length; at++) pairs.add(marked.slice(at - 1, at + 1))
  return pairs
}
