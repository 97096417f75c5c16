import { unsafeEntryError } from './archive/archive-errors.ts'
import { type AcceptedEntries, type AuditedFile, startAudit } from './archive/audit.ts'
import type { TreeEntry, TreeSource } from './bundle.ts'
import { viewOfListing } from './folder-view.ts'
import type { FileSink, Listing } from './listing.ts'
import { type BundleQuery, locateBundle } from './locate-bundle.ts'
import { excludedNameIn } from './path-rules.ts'

/**
 * Finds the bundle in a tree and checks it like a folder; what is beside it does not matter. Only the bundle's own contents
 * are fetched. Throws ARCHIVE_*, FETCH_*.
 */
export const listTree = async (source: TreeSource, wanted: BundleQuery): Promise<Listing> => {
  const kept = source.entries.filter(({ path }) => excludedNameIn(path) === null)
  const root = locateBundle(viewOfListing(namesOnlyListing(kept)), wanted)
  const inside = kept.filter(({ path }) => path.startsWith(root)).map((entry) => toInnerEntry(root, entry))
  const regular = inside.filter(({ entry }) => entry.type === 'file')
  // Names and types are checked first, so that nothing is fetched for a tree that is refused anyway.
  auditInnerEntries(inside, new Map())
  const sizes = await source.fetchSizes(regular.map(({ entry }) => entry))
  const { files } = auditInnerEntries(inside, new Map(regular.map(({ entry }, index) => [entry, sizes[index] ?? NaN])))
  const entryOf = new Map(inside.map(({ path, entry }) => [path, entry]))
  return {
    files,
    folders: [],
    excluded: excludedBelow(source, root),
    async sendFiles(wants, sink) {
      const chosen = files.filter(({ path }) => wants(path))
      await source.sendContents(
        chosen.flatMap(({ path }) => entryOf.get(path) ?? []),
        indexedSink(chosen, sink),
      )
    },
  }
}

/** An entry by its path below the bundle's root. */
interface InnerEntry {
  readonly path: string
  readonly entry: TreeEntry
}

const toInnerEntry = (root: string, entry: TreeEntry): InnerEntry => ({ path: entry.path.slice(root.length), entry })

const auditInnerEntries = (inside: readonly InnerEntry[], sizes: ReadonlyMap<TreeEntry, number>): AcceptedEntries => {
  const audit = startAudit(null)
  for (const { path, entry } of inside) {
    if (!entry.isUtf8) throw unsafeEntryError(entry.path, 'not-unicode', 'has a name that is not UTF-8')
    audit.add({ path, type: entry.type, size: sizes.get(entry) ?? 0, executable: entry.executable })
  }
  return audit.finish()
}

const namesOnlyListing = (entries: readonly TreeEntry[]): Listing => ({
  files: entries.map(({ path }) => ({ path, size: 0, executable: false })),
  folders: [],
  excluded: [],
  sendFiles: async () => {},
})

const excludedBelow = ({ entries }: TreeSource, root: string): readonly string[] => [
  ...new Set(entries.filter(({ path }) => path.startsWith(root)).flatMap(({ path }) => excludedNameIn(path) ?? [])),
]

const indexedSink = (files: readonly AuditedFile[], sink: FileSink) => ({
  begin(index: number): void {
    const file = files[index]
    if (file !== undefined) sink.begin(file)
  },
  data: (chunk: Uint8Array) => sink.data(chunk),
  end: () => sink.end(),
})
