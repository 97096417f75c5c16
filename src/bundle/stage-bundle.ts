import { dirname, join } from 'node:path'
import { GsdError, interruptedError } from '../errors.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { listArchive } from './archive/list-archive.ts'
import type { BundleFile, BundleSource, StagedBundle } from './bundle.ts'
import { compareUtf8 } from './byte-order.ts'
import { viewOfFolder, viewOfListing } from './folder-view.ts'
import { listFolder } from './list-folder.ts'
import { listTree } from './list-tree.ts'
import type { FileSink, Listing } from './listing.ts'
import { locateBundle } from './locate-bundle.ts'
import { declaredHookScripts } from './manifest-bytes.ts'
import { excludedNotes } from './path-rules.ts'
import { toReadError } from './read-errors.ts'
import { createTreeWriter, type TreeWriter } from './tree-writer.ts'

export interface StageOptions {
  /** Absolute path of a folder that does not exist yet. */
  readonly into: string
  readonly disk: Disk
  /** The wanted capability, if there may be several. */
  readonly id?: string | null
  /** Subfolder of the source that holds the bundle, with `/`. */
  readonly path?: string | null
  readonly signal?: AbortSignal
  /** The verified integrity of an archive; the unpacked bytes must have it too. */
  readonly integrity?: string | null
}

/**
 * Unpacks an archive or copies a folder or tree into `into`: list → audit → find the bundle's root → write. Nothing is written
 * before everything is checked; if anything fails, everything this call created is removed. Files are 0644 or 0755,
 * folders 0755, whatever the umask; folders without files are not part of a bundle. Nothing is synced here.
 *
 * Throws ARCHIVE_*, FETCH_NOT_FOUND, FETCH_UNREADABLE, INTEGRITY_MISMATCH, SPEC_MALFORMED, STATE_*, INTERRUPTED.
 */
export const stageBundle = async (source: BundleSource, options: StageOptions): Promise<StagedBundle> => {
  try {
    if (source.kind === 'archive') return await stageArchive(source.file, options)
    return { ...(await writeBundle(await locateInSource(source, options), options)), integrity: null }
  } catch (error) {
    throw addSourceName(error, source)
  }
}

const stageArchive = async (file: string, options: StageOptions): Promise<StagedBundle> => {
  const { disk, signal, integrity, into } = options
  // On the disk that the content is going to.
  const listing = await listArchive(file, {
    disk,
    signal,
    integrity: integrity ?? undefined,
    scratchFolder: dirname(into),
  })
  try {
    const root = locateBundle(viewOfListing(listing), options)
    return { ...(await writeBundle({ listing, root }, options)), integrity: listing.integrity }
  } finally {
    listing.close()
  }
}

const writeBundle = async (
  { listing, root }: LocatedBundle,
  options: StageOptions,
): Promise<Omit<StagedBundle, 'integrity'>> => {
  const writer = createTreeWriter(options.disk, options.into)
  try {
    await listing.sendFiles((path) => path.startsWith(root), sinkBelow(root, writer, options.signal))
    const manifest = writer.manifest()
    makeHookScriptsExecutable(writer, manifest)
    return {
      dir: options.into,
      files: writer.files.toSorted((a, b) => compareUtf8(a.path, b.path)),
      manifest,
      notes: [...excludedNotes(listing.excluded), ...(listing.notes ?? [])],
    }
  } catch (error) {
    writer.undo()
    throw error
  }
}

/** Adds to a refusal which of several sources it is about. */
const addSourceName = (error: unknown, source: BundleSource): unknown => {
  if (!(error instanceof GsdError) || !error.code.startsWith('ARCHIVE_')) return error
  const { code, hint, details } = error
  // It names the file itself.
  if (code === 'ARCHIVE_NOT_GZIP') return error
  return new GsdError(code, `${quote(sourceName(source))}: ${error.message}`, {
    ...(hint === undefined ? {} : { hint }),
    details,
    cause: error,
  })
}

const sourceName = (source: BundleSource): string => {
  if (source.kind === 'tree') return source.tree.displayName
  return source.kind === 'archive' ? (source.displayName ?? source.file) : source.dir
}

interface LocatedBundle {
  readonly listing: Listing
  /** '' or a path that ends in `/`, within the listing. */
  readonly root: string
}

/** Only the bundle's own part of a folder or tree is read; an archive must be read whole. */
const locateInSource = async (
  source: Exclude<BundleSource, { kind: 'archive' }>,
  options: StageOptions,
): Promise<LocatedBundle> => {
  const { disk } = options
  if (source.kind === 'tree') return { listing: await listTree(source.tree, options), root: '' }
  requireFolder(source.dir, disk)
  const root = locateBundle(viewOfFolder(source.dir, disk), options)
  return { listing: listFolder(join(source.dir, root), { disk }), root: '' }
}

const requireFolder = (dir: string, disk: Disk): void => {
  try {
    if (disk.statSync(dir).isDirectory()) return
  } catch (error) {
    throw toReadError(error, dir)
  }
  throw new GsdError('FETCH_UNREADABLE', `${quote(dir)} is not a folder`, {
    hint: 'name an archive, or a folder that holds capability.json',
  })
}

/** A sink for the files of a listing below `root` that stops at the user's signal. */
const sinkBelow = (root: string, sink: FileSink, signal: AbortSignal | undefined): FileSink => ({
  begin(file, known) {
    if (signal?.aborted) throw interruptedError()
    const path = file.path.slice(root.length)
    sink.begin({ ...file, path }, known === undefined ? undefined : { ...known, path })
  },
  data: (chunk) => sink.data(chunk),
  end: () => sink.end(),
  move(file, from) {
    if (signal?.aborted) throw interruptedError()
    return sink.move?.({ ...file, path: file.path.slice(root.length) }, from) ?? false
  },
})

/** A declared hook script that starts with `#!` is executable, whatever the source says. */
const makeHookScriptsExecutable = (writer: TreeWriter, manifest: Uint8Array): void => {
  const scripts = declaredHookScripts(manifest)
  const isLacking = (file: BundleFile): boolean => file.shebang && !file.executable && scripts.has(file.path)
  for (const file of writer.files.filter(isLacking)) writer.makeExecutable(file.path)
}
