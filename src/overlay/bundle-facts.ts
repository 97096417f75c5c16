import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { type HashedTree, hashTree } from '../bundle/hash-tree.ts'
import { GsdError } from '../errors.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Disk } from '../platform/disk.ts'
import { listSurfaces } from '../trust/list-surfaces.ts'
import { surfaceSignature } from '../trust/signature.ts'
import type { TrackedStats } from './cache/file-stamp.ts'
import type { StatTracker } from './cache/stat-tracker.ts'

/** What consent is bound to, read from the bundle on disk. */
export interface BundleFacts {
  readonly digest: string
  /** Signature of the executable surfaces. */
  readonly surfaces: string
  /** Links, devices and the like, as sentences. A bundle with any of them is not trusted. */
  readonly unexpected: readonly string[]
  /** For naming what changed; may read the whole bundle. */
  readonly files: () => readonly BundleFile[]
}

/** The digests of one bundle, and the range of tracked paths they depend on. */
export interface KnownBundle {
  readonly dir: string
  readonly digest: string
  readonly surfaces: string
  readonly from: number
  readonly to: number
}

/** Reads every file of a bundle. A folder that cannot be listed counts as unexpected. */
export const readBundleFacts = (disk: Disk, dir: string, manifest: Manifest): BundleFacts => {
  const { files, manifest: bytes, unexpected } = hashBundle(disk, dir)
  return {
    digest: bundleDigest(files, bytes),
    surfaces: surfaceSignature(listSurfaces(manifest, files)),
    unexpected,
    files: () => files,
  }
}

const hashBundle = (disk: Disk, dir: string): HashedTree => {
  try {
    return hashTree(dir, disk)
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return { files: [], manifest: null, unexpected: [error.message] }
  }
}

/**
 * The same, but reuses the digests of an earlier load for a bundle whose files all have the same stats. `bundles` collects
 * the digests of this load.
 */
export const cachedBundleFacts =
  (
    { tracker, disk, bundles }: { readonly tracker: StatTracker; readonly disk: Disk; readonly bundles: KnownBundle[] },
    before: { readonly stats: TrackedStats; readonly bundles: readonly KnownBundle[] } | null,
  ) =>
  (dir: string, manifest: Manifest): BundleFacts => {
    const from = tracker.paths.length
    const known = before?.bundles.find((bundle) => bundle.dir === dir)
    if (before !== null && known !== undefined && tracker.reuseIfUnchanged(before.stats, known.from, known.to)) {
      bundles.push({ ...known, from, to: tracker.paths.length })
      return { ...known, unexpected: [], files: () => hashBundle(disk, dir).files }
    }
    // Record the stats before reading, so that a change in between is noticed.
    trackFolder(tracker, dir)
    const facts = readBundleFacts(disk, dir, manifest)
    if (facts.unexpected.length === 0)
      bundles.push({ dir, digest: facts.digest, surfaces: facts.surfaces, from, to: tracker.paths.length })
    return facts
  }

/** Records the stats of everything below a folder, as far as it can be listed. */
const trackFolder = (tracker: StatTracker, dir: string): void => {
  const open = [dir]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const stat = tracker.lstat(folder)
    if (typeof stat === 'string' || !stat.isDirectory()) continue
    for (const entry of listOrEmpty(tracker, folder)) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) open.push(path)
      else tracker.lstat(path)
    }
  }
}

const listOrEmpty = (tracker: StatTracker, folder: string) => {
  try {
    return tracker.list(folder)
  } catch {
    return []
  }
}
