import { foldName } from './path-rules.ts'

/** Names that are never part of a bundle, at any depth, with what is said when they are left out. */
const LEFT_OUT = new Map<string, string | null>([
  ['.git', null],
  ['node_modules', 'node_modules/ was left out: hooks and commands must bring what they need in files of their own'],
  ['.DS_Store', null],
])

const BY_FOLDED = new Map([...LEFT_OUT.keys()].map((name) => [foldName(name), name]))

// HFS+ does not see these in a name, so `.g<joiner>it` is `.git` there.
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/** True for a name that is never part of a bundle, in any spelling a file system takes for it. */
export const isLeftOut = (name: string): boolean => BY_FOLDED.has(foldName(name.replace(UNSEEN, '')))

/** The left-out name that a path lies under or is, or null. */
export const leftOutBy = (path: string): string | null => {
  for (const segment of path.split('/')) {
    const name = BY_FOLDED.get(foldName(segment.replace(UNSEEN, '')))
    if (name !== undefined) return name
  }
  return null
}

/** What to tell the user about names that were left out. */
export const leftOutNotes = (names: Iterable<string>): string[] => {
  const notes: string[] = []
  for (const name of new Set(names)) {
    const note = LEFT_OUT.get(name)
    if (note != null) notes.push(note)
  }
  return notes
}
