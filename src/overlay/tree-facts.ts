import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { type HashedTree, hashTree } from '../bundle/hash-tree.ts'
import { GsdError } from '../errors.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Disk } from '../store/disk.ts'
import { surfaceSignature } from '../trust/signature.ts'
import { surfacesOf } from '../trust/surfaces-of.ts'
import type { Sights } from './look.ts'
import type { Witness } from './witness.ts'

/** What consent is bound to, of a bundle as it lies on disk. */
export interface TreeFacts {
  readonly digest: string
  /** Signature of the executable surfaces. */
  readonly surfaces: string
  /** What no bundle holds, as sentences; nothing with any of it is trusted. */
  readonly odd: readonly string[]
  /** To name what changed; may read the whole bundle. */
  readonly files: () => readonly BundleFile[]
}

/** Facts of one bundle, and which stretch of the sights they rest on. */
export interface Tree {
  readonly dir: string
  readonly digest: string
  readonly surfaces: string
  readonly from: number
  readonly to: number
}

/** Reads every file of a bundle. A folder that cannot be listed is one more thing that is odd. */
export const treeFacts = (disk: Disk, dir: string, manifest: Manifest): TreeFacts => {
  const { files, manifest: bytes, odd } = treeIn(disk, dir)
  return {
    digest: bundleDigest(files, bytes),
    surfaces: surfaceSignature(surfacesOf(manifest, files)),
    odd,
    files: () => files,
  }
}

const treeIn = (disk: Disk, dir: string): HashedTree => {
  try {
    return hashTree(dir, disk)
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return { files: [], manifest: null, odd: [error.message] }
  }
}

/**
 * The same by stat where an earlier load knew the bundle: when every file and folder of it looks as it did, the digest is
 * that of then. `trees` collects what this load knows.
 */
export const knownTreeFacts =
  (
    { witness, disk, trees }: { readonly witness: Witness; readonly disk: Disk; readonly trees: Tree[] },
    before: { readonly sights: Sights; readonly trees: readonly Tree[] } | null,
  ) =>
  (dir: string, manifest: Manifest): TreeFacts => {
    const from = witness.paths.length
    const known = before?.trees.find((tree) => tree.dir === dir)
    if (before !== null && known !== undefined && witness.recognise(before.sights, known.from, known.to)) {
      trees.push({ ...known, from, to: witness.paths.length })
      return { ...known, odd: [], files: () => treeIn(disk, dir).files }
    }
    // Looked at before it is read: what changes in between is seen to have changed.
    lookAtAll(witness, dir)
    const facts = treeFacts(disk, dir, manifest)
    if (facts.odd.length === 0)
      trees.push({ dir, digest: facts.digest, surfaces: facts.surfaces, from, to: witness.paths.length })
    return facts
  }

/** Looks at everything below a folder. What cannot be listed is looked at and left. */
const lookAtAll = (witness: Witness, dir: string): void => {
  const open = [dir]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const look = witness.lstat(folder)
    if (typeof look === 'string' || !look.isDirectory()) continue
    for (const entry of entriesOf(witness, folder)) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) open.push(path)
      else witness.lstat(path)
    }
  }
}

const entriesOf = (witness: Witness, folder: string) => {
  try {
    return witness.list(folder)
  } catch {
    return []
  }
}
