import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { createIntegrityHash, parseIntegrity } from '../../bundle/integrity.ts'
import { verifyArtifact } from '../../bundle/verify-artifact.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { writeAll } from '../../platform/disk.ts'
import { removeEmptyFolders, removeTree, withFolder } from '../../platform/folders.ts'
import { checkCacheFolder, ensureCacheFolder } from '../../platform/private-folder.ts'
import { readChecked, removeStaleTemporaries, temporaryName, tryWriteChecked } from './cache-file.ts'

/** An archive in the cache, under its sha512. */
export interface Artifact {
  readonly file: string
  /** `sha512-…` */
  readonly integrity: string
}

/** Writes an archive into the cache. Ends with `finish` or `discard`. */
export interface ArtifactWriter {
  write(chunk: Uint8Array): void
  /** Moves it to its final path. */
  finish(): Artifact
  discard(): void
}

/** Starts a new artifact. @throws STATE_* */
export const createArtifact = (disk: Disk, cache: string): ArtifactWriter => {
  const artifacts = join(cache, 'artifacts')
  const folder = join(artifacts, 'incoming')
  checkCacheFolder(disk, cache, folder)
  removeStaleTemporaries(disk, { cache, folder })
  const file = join(folder, temporaryName())
  const fd = withFolder(disk, folder, () => disk.openSync(file, 'wx', 0o600), 0o700)
  const hash = createIntegrityHash()
  return {
    write(chunk) {
      hash.update(chunk)
      withDiskErrors('write', file, () => writeAll(disk, fd, chunk))
    },
    finish() {
      withDiskErrors('write', file, () => disk.closeSync(fd))
      return moveToCache(disk, cache, { file, integrity: hash.digest() })
    },
    discard() {
      withDiskErrors('write', file, () => disk.closeSync(fd))
      removeTree(disk, file)
      removeEmptyFolders(disk, [cache, artifacts, folder])
    },
  }
}

/** Moves a file that another program wrote below the cache to its final path. @throws STATE_*, FETCH_* */
export const adoptArtifact = async (disk: Disk, cache: string, file: string): Promise<Artifact> =>
  moveToCache(disk, cache, { file, integrity: await verifyArtifact(file, [], disk) })

/** The artifact with this integrity, verified, or null. A damaged one is deleted. @throws STATE_CACHE_UNSAFE */
export const findArtifact = async (disk: Disk, cache: string, integrity: string): Promise<Artifact | null> => {
  const file = artifactPath(cache, integrity)
  checkCacheFolder(disk, cache, dirname(file))
  try {
    if (!disk.lstatSync(file).isFile()) return null
    if ((await verifyArtifact(file, [], disk)) === integrity) return { file, integrity }
    disk.unlinkSync(file)
  } catch {
    // It is fetched again.
  }
  return null
}

const moveToCache = (disk: Disk, cache: string, { file, integrity }: Artifact): Artifact => {
  const place = artifactPath(cache, integrity)
  ensureCacheFolder(disk, cache, dirname(place))
  withDiskErrors('move', file, () => disk.renameSync(file, place))
  return { file: place, integrity }
}

const artifactPath = (cache: string, integrity: string): string => {
  const hex = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
  return join(cache, 'artifacts', hex.slice(0, 2), `${hex.slice(2)}.tgz`)
}

/** Bytes: the unpacked limit (security, "Archives and trees") with headers, without any compression. */
export const MAX_ARCHIVE_BYTES = 320 * 1024 * 1024

/** Stores the integrity of a name's content, so that it can be found offline. */
export const recordIntegrity = (disk: Disk, cache: string, name: string, integrity: string): void =>
  tryWriteChecked(
    disk,
    { cache, file: recordPath(cache, name) },
    Buffer.from(`${JSON.stringify({ name, integrity })}\n`),
  )

/** The integrity of a name when it was last fetched, or null. */
export const findKnownIntegrity = (disk: Disk, cache: string, name: string): string | null => {
  const bytes = readChecked(disk, { cache, file: recordPath(cache, name) })
  try {
    const pin = JSON.parse(bytes?.toString('utf8') ?? 'null') as unknown
    return isIntegrityRecord(pin) && pin.name === name ? parseIntegrity(pin.integrity) : null
  } catch {
    return null
  }
}

const isIntegrityRecord = (value: unknown): value is { readonly name: string; readonly integrity: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'integrity' in value &&
  typeof value.integrity === 'string'

const recordPath = (cache: string, name: string): string =>
  join(cache, 'pins', `${createHash('sha256').update(name).digest('hex')}.json`)
