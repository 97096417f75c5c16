import { dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Disk } from '../store/disk.ts'
import { listArchive } from './archive.ts'
import type { BundleFile, Source, StagedBundle } from './bundle.ts'
import { byBytes } from './byte-order.ts'
import { readFault } from './faults.ts'
import { listFolder } from './folder.ts'
import { declaredHookScripts } from './hook-scripts.ts'
import { leftOutNotes } from './left-out.ts'
import type { FileSink, Listing } from './listing.ts'
import { locateBundle } from './locate.ts'
import { interrupted } from './refusal.ts'
import { openTreeWriter, type TreeWriter } from './tree-writer.ts'
import { listTree } from './tree.ts'
import { treeOfFolder, treeOfListing } from './trees.ts'

export interface StageOptions {
  /** Absolute path of a folder that does not exist yet. */
  readonly into: string
  readonly disk: Disk
  /** The capability that is looked for, where several may be found. */
  readonly id?: string | null
  /** Subfolder of the source that holds the bundle, with `/`. */
  readonly path?: string | null
  readonly signal?: AbortSignal
  /** The verified integrity of an archive; what is unpacked must come from the same bytes. */
  readonly integrity?: string | null
}

/**
 * Unpacks an archive or copies a folder or tree into `into`: list → audit → find the bundle's root → write. Nothing is written
 * before everything is judged; when anything fails, everything this call made is gone again. Files are 0644 or 0755,
 * folders 0755, whatever the umask; folders without files are not part of a bundle. Nothing is synced here.
 *
 * Throws ARCHIVE_*, FETCH_NOT_FOUND, FETCH_UNREADABLE, INTEGRITY_MISMATCH, SPEC_MALFORMED, STATE_*, INTERRUPTED.
 */
export const stageBundle = async (source: Source, options: StageOptions): Promise<StagedBundle> => {
  try {
    if (source.kind === 'archive') return await stageArchive(source.file, options)
    return { ...(await writeBundle(await locate(source, options), options)), integrity: null }
  } catch (error) {
    throw namingSource(error, source)
  }
}

const stageArchive = async (file: string, options: StageOptions): Promise<StagedBundle> => {
  const { disk, signal, integrity, into } = options
  // Its content waits beside where it is going to.
  const listing = await listArchive(file, { disk, signal, integrity: integrity ?? undefined, scratch: dirname(into) })
  try {
    const root = locateBundle(treeOfListing(listing), options)
    return { ...(await writeBundle({ listing, root }, options)), integrity: listing.integrity }
  } finally {
    listing.close()
  }
}

const writeBundle = async (
  { listing, root }: Located,
  options: StageOptions,
): Promise<Omit<StagedBundle, 'integrity'>> => {
  const writer = openTreeWriter(options.disk, options.into)
  try {
    await listing.play((path) => path.startsWith(root), below(root, writer, options.signal))
    const manifest = writer.manifest()
    markHookScripts(writer, manifest)
    return {
      dir: options.into,
      files: writer.files.toSorted((a, b) => byBytes(a.path, b.path)),
      manifest,
      notes: leftOutNotes(listing.leftOut),
    }
  } catch (error) {
    writer.undo()
    throw error
  }
}

/** A refusal says which of several sources it is about. */
const namingSource = (error: unknown, source: Source): unknown => {
  if (!(error instanceof GsdError) || !error.code.startsWith('ARCHIVE_')) return error
  const place = quote(nameOf(source))
  if (error.message.startsWith(place)) return error
  const { code, hint, details } = error
  return new GsdError(code, `${place}: ${error.message}`, {
    ...(hint === undefined ? {} : { hint }),
    details,
    cause: error,
  })
}

const nameOf = (source: Source): string => {
  if (source.kind === 'tree') return source.tree.named
  return source.kind === 'archive' ? (source.named ?? source.file) : source.dir
}

interface Located {
  readonly listing: Listing
  /** '' or a path that ends in `/`, within the listing. */
  readonly root: string
}

/** Only the bundle's own part of a folder or tree is looked at, while an archive has to be read to be searched. */
const locate = async (source: Exclude<Source, { kind: 'archive' }>, options: StageOptions): Promise<Located> => {
  const { disk } = options
  if (source.kind === 'tree') return { listing: await listTree(source.tree, options), root: '' }
  expectFolder(source.dir, disk)
  const root = locateBundle(treeOfFolder(source.dir, disk), options)
  return { listing: listFolder(join(source.dir, root), { disk }), root: '' }
}

const expectFolder = (dir: string, disk: Disk): void => {
  try {
    if (disk.statSync(dir).isDirectory()) return
  } catch (error) {
    throw readFault(error, dir)
  }
  throw new GsdError('FETCH_UNREADABLE', `${quote(dir)} is not a folder`, {
    hint: 'name an archive, or a folder that holds capability.json',
  })
}

/** A sink for the files of a listing below `root`, stopping where the user asks for it. */
const below = (root: string, sink: FileSink, signal: AbortSignal | undefined): FileSink => ({
  begin(file, known) {
    if (signal?.aborted) throw interrupted()
    const path = file.path.slice(root.length)
    sink.begin({ ...file, path }, known === undefined ? undefined : { ...known, path })
  },
  data: (chunk) => sink.data(chunk),
  end: () => sink.end(),
})

/** A declared hook script that starts with `#!` is executable, whatever the source says. */
const markHookScripts = (writer: TreeWriter, manifest: Uint8Array): void => {
  const scripts = declaredHookScripts(manifest)
  const isLacking = (file: BundleFile): boolean => file.shebang && !file.executable && scripts.has(file.path)
  for (const file of writer.files.filter(isLacking)) writer.makeExecutable(file.path)
}
