import { entryOf, unknownSkill } from '../skills/bodies/read-skills.ts'
import type { SkillEntry } from '../skills/index/entry.ts'
import type { SkillsIndex } from '../skills/index/skills-index.ts'
import { makeSearcher, type Searcher } from '../skills/search/search-index.ts'

/** Several indexes as one. Of two skills with one id, the one of the earlier index counts. */
export interface Catalogs {
  readonly indexes: readonly SkillsIndex[]
  readonly entries: readonly SkillEntry[]
  readonly searcher: () => Searcher
  /** The index that an id is read from. @throws GsdError STATE_NO_SKILL, or why its entry was refused */
  ownerOf(id: string): { readonly index: SkillsIndex; readonly entry: SkillEntry }
}

export const joinCatalogs = (indexes: readonly SkillsIndex[]): Catalogs => {
  const entries = indexes.flatMap((index, at) =>
    index.entries.filter(({ id }) => indexes.slice(0, at).every((earlier) => earlier.get(id) === undefined)),
  )
  let searcher: Searcher | null = null
  return {
    indexes,
    entries,
    searcher: () => (searcher ??= makeSearcher(entries)),
    ownerOf(id) {
      const index = indexes.find((it) => it.get(id) !== undefined) ?? indexes.find((it) => it.refusal(id) !== undefined)
      if (index !== undefined) return { index, entry: entryOf(index, id) }
      throw unknownSkill(id)
    },
  }
}
