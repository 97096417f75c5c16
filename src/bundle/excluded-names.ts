import { foldName } from './path-rules.ts'

/** Names that are never part of a bundle, at any depth, with what is said when they are left out. */
const EXCLUDED = new Map<string, string | null>([
  ['.git', null],
  ['node_modules', 'node_modules/ was left out: hooks and commands must bring what they need in files of their own'],
  ['.DS_Store', null],
])

const BY_FOLDED = new Map([...EXCLUDED.keys()].map((name) => [foldName(name), name]))

// HFS+ does not see these in a name, so `.g<joiner>it` is `.git` there.
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/** True for a name that is never part of a bundle, in any spelling a file system takes for it. */
export const isExcludedName = (name: string): boolean => BY_FOLDED.has(foldName(name.replace(INVISIBLE, '')))

/** The left-out name that a path lies under or is, or null. */
export const excludedNameIn = (path: string): string | null => {
  for (const segment of path.split('/')) {
    const name = BY_FOLDED.get(foldName(segment.replace(INVISIBLE, '')))
    if (name !== undefined) return name
  }
  return null
}

/** What to tell the user about names that were left out. */
export const excludedNotes = (names: Iterable<string>): string[] => {
  const notes: string[] = []
  for (const name of new Set(names)) {
    const note = EXCLUDED.get(name)
    if (note != null) notes.push(note)
  }
  return notes
}
