import { join } from 'node:path'
import { MANIFEST_FILE } from '../../manifest/manifest.ts'
import type { BundleFile } from '../bundle.ts'
import { createFileHash, type FileHash } from '../file-hash.ts'
import type { Listing } from '../listing.ts'
import { changedWhileReadError } from '../read-errors.ts'
import type { PackManifest } from './pack-manifest.ts'
import type { PackOutput } from './pack-output.ts'
import { createTarFormat } from './tar-format.ts'

/** A bundle as `pack` found it in its first reading, and where its archive goes. */
export interface WriteTarOptions {
  readonly files: readonly BundleFile[]
  readonly manifest: PackManifest
  readonly root: string
  readonly output: PackOutput
}

/**
 * The second reading: every file must be what it was in the first. The manifest comes first, from memory.
 * Throws FETCH_UNREADABLE, STATE_*.
 */
export const writeTar = async (listing: Listing, { files, manifest, root, output }: WriteTarOptions): Promise<void> => {
  const tar = await createTarFormat()
  const byPath = new Map(files.map((file) => [file.path, file]))
  const own = byPath.get(MANIFEST_FILE)
  if (own !== undefined) for (const part of [tar.header(own), manifest.bytes, tar.padding(own.size)]) output.write(part)
  let hash: FileHash | null = null
  await listing.sendFiles((path) => path !== MANIFEST_FILE, {
    begin(file) {
      hash = createFileHash(file)
      output.write(tar.header(byPath.get(file.path) ?? file))
    },
    data(chunk) {
      hash?.update(chunk)
      output.write(chunk)
    },
    end() {
      const read = hash?.result()
      if (read === undefined || read.sha512 !== byPath.get(read.path)?.sha512)
        throw changedWhileReadError(join(root, read?.path ?? ''))
      output.write(tar.padding(read.size))
    },
  })
  output.write(tar.end)
}
