import { join } from 'node:path'
import type { BundleFile } from './bundle.ts'
import { changed } from './faults.ts'
import { openFileHash, type FileHash } from './file-hash.ts'
import type { Listing } from './listing.ts'
import { MANIFEST } from './locate.ts'
import type { PackManifest } from './pack-manifest.ts'
import type { PackOutput } from './pack-output.ts'
import { padding, TAR_END, tarHeader } from './tar-writer.ts'

/** A bundle as `pack` found it in its first reading, and where its archive goes. */
export interface TarInput {
  readonly files: readonly BundleFile[]
  readonly manifest: PackManifest
  readonly root: string
  readonly output: PackOutput
}

/**
 * The second reading: every file must be what it was in the first. The manifest stands in front and comes from memory.
 * Throws FETCH_UNREADABLE, STATE_*.
 */
export const writeTar = async (listing: Listing, { files, manifest, root, output }: TarInput): Promise<void> => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const own = byPath.get(MANIFEST)
  if (own !== undefined) for (const part of [tarHeader(own), manifest.bytes, padding(own.size)]) output.write(part)
  let hash: FileHash | null = null
  await listing.play((path) => path !== MANIFEST, {
    begin(file) {
      hash = openFileHash(file)
      output.write(tarHeader(byPath.get(file.path) ?? file))
    },
    data(chunk) {
      hash?.take(chunk)
      output.write(chunk)
    },
    end() {
      const read = hash?.result()
      if (read === undefined || read.sha512 !== byPath.get(read.path)?.sha512)
        throw changed(join(root, read?.path ?? ''))
      output.write(padding(read.size))
    },
  })
  output.write(TAR_END)
}
