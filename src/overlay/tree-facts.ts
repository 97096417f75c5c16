import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { type HashedTree, hashTree } from '../bundle/hash-tree.ts'
import { GsdError } from '../errors.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Disk } from '../store/disk.ts'
import { surfaceSignature } from '../trust/signature.ts'
import { surfacesOf } from '../trust/surfaces-of.ts'

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
