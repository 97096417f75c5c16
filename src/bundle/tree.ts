import { openAudit, type Accepted, type AuditedFile } from './audit.ts'
import { leftOutBy } from './left-out.ts'
import type { FileSink, Listing } from './listing.ts'
import { locateBundle, type Wanted } from './locate.ts'
import { unsafe } from './refusal.ts'
import type { TreeEntry, TreeSource } from './tree-source.ts'
import { treeOfListing } from './trees.ts'

/**
 * Finds the bundle in a tree and judges its part of it, as of a folder: what lies beside it is not looked at. Contents
 * are brought here only for that part. Throws ARCHIVE_*, FETCH_*.
 */
export const listTree = async (source: TreeSource, wanted: Wanted): Promise<Listing> => {
  const kept = source.entries.filter(({ path }) => leftOutBy(path) === null)
  const root = locateBundle(treeOfListing(namesOf(kept)), wanted)
  const inside = kept.filter(({ path }) => path.startsWith(root)).map((entry) => below(root, entry))
  const regular = inside.filter(({ entry }) => entry.type === 'file')
  // Names and kinds are judged first, so that nothing is brought here for a tree that is refused anyway.
  judge(inside, new Map())
  const sizes = await source.measure(regular.map(({ entry }) => entry))
  const { files } = judge(inside, new Map(regular.map(({ entry }, index) => [entry, sizes[index] ?? NaN])))
  const entryOf = new Map(inside.map(({ path, entry }) => [path, entry]))
  return {
    files,
    folders: [],
    leftOut: leftOutBelow(source, root),
    async play(wants, sink) {
      const chosen = files.filter(({ path }) => wants(path))
      await source.read(
        chosen.flatMap(({ path }) => entryOf.get(path) ?? []),
        numbered(chosen, sink),
      )
    },
  }
}

/** An entry by its path below the bundle's root. */
interface Inside {
  readonly path: string
  readonly entry: TreeEntry
}

const below = (root: string, entry: TreeEntry): Inside => ({ path: entry.path.slice(root.length), entry })

const judge = (inside: readonly Inside[], sizes: ReadonlyMap<TreeEntry, number>): Accepted => {
  const audit = openAudit(null)
  for (const { path, entry } of inside) {
    if (!entry.unicode) throw unsafe(entry.path, 'not-unicode', 'has a name that is not UTF-8')
    audit.add({ path, type: entry.type, size: sizes.get(entry) ?? 0, executable: entry.executable })
  }
  return audit.finish()
}

const namesOf = (entries: readonly TreeEntry[]): Listing => ({
  files: entries.map(({ path }) => ({ path, size: 0, executable: false })),
  folders: [],
  leftOut: [],
  play: async () => {},
})

const leftOutBelow = ({ entries }: TreeSource, root: string): readonly string[] => [
  ...new Set(entries.filter(({ path }) => path.startsWith(root)).flatMap(({ path }) => leftOutBy(path) ?? [])),
]

const numbered = (files: readonly AuditedFile[], sink: FileSink) => ({
  begin(index: number): void {
    const file = files[index]
    if (file !== undefined) sink.begin(file)
  },
  data: (chunk: Uint8Array) => sink.data(chunk),
  end: () => sink.end(),
})
