import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { integrityOf } from '../../bundle/integrity.ts'
import { verifyArtifact } from '../../bundle/verify.ts'
import { onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder, inFolder, removeEmptyFolders } from '../../store/folders.ts'
import { removeTree } from '../../store/remove-tree.ts'
import { writeAll } from '../../store/write-all.ts'
import { passingName } from './keep-file.ts'
import { sweepPassing } from './sweep.ts'

/** An archive in the cache, under its sha512. */
export interface Artifact {
  readonly file: string
  /** `sha512-…` */
  readonly integrity: string
}

/** An archive on its way into the cache. */
export interface Incoming {
  write(chunk: Uint8Array): void
  /** Moves it to its place. Either this or `discard` ends it. */
  keep(): Artifact
  discard(): void
}

/** Starts a new artifact. @throws STATE_* */
export const openIncoming = (disk: Disk, cache: string): Incoming => {
  const artifacts = join(cache, 'artifacts')
  const folder = join(artifacts, 'incoming')
  sweepPassing(disk, folder)
  const file = join(folder, passingName())
  const fd = inFolder(disk, folder, () => disk.openSync(file, 'wx', 0o600))
  const hash = createHash('sha512')
  return {
    write(chunk) {
      hash.update(chunk)
      onDisk('write', file, () => writeAll(disk, fd, chunk))
    },
    keep() {
      onDisk('write', file, () => disk.closeSync(fd))
      return moveIn(disk, cache, { file, integrity: integrityOf(hash.digest()) })
    },
    discard() {
      onDisk('write', file, () => disk.closeSync(fd))
      removeTree(disk, file)
      removeEmptyFolders(disk, [cache, artifacts, folder])
    },
  }
}

/** Moves a file that another program wrote below the cache to its place. @throws STATE_*, FETCH_* */
export const adoptArtifact = async (disk: Disk, cache: string, file: string): Promise<Artifact> =>
  moveIn(disk, cache, { file, integrity: await verifyArtifact(file, [], disk) })

/** The artifact with this integrity, hashed anew, or null. A damaged one is taken out. */
export const findArtifact = async (disk: Disk, cache: string, integrity: string): Promise<Artifact | null> => {
  const file = placeOf(cache, integrity)
  try {
    if (!disk.lstatSync(file).isFile()) return null
    if ((await verifyArtifact(file, [], disk)) === integrity) return { file, integrity }
    disk.unlinkSync(file)
  } catch {
    // Not there, or not to be had: it is fetched again.
  }
  return null
}

const moveIn = (disk: Disk, cache: string, { file, integrity }: Artifact): Artifact => {
  const place = placeOf(cache, integrity)
  ensureFolder(disk, join(place, '..'))
  onDisk('move', file, () => disk.renameSync(file, place))
  return { file: place, integrity }
}

const placeOf = (cache: string, integrity: string): string => {
  const hex = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
  return join(cache, 'artifacts', hex.slice(0, 2), `${hex.slice(2)}.tgz`)
}
