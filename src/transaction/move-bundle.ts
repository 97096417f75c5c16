import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BundleFile, StagedBundle } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import { GsdError } from '../errors.ts'
import { isErrno, withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { writeAll } from '../platform/file-io.ts'
import { ensureFolder } from '../platform/folders.ts'
import { realDisk } from '../platform/real-disk.ts'
import { quote } from '../redact.ts'
import { fileFingerprint } from '../state/consent-store.ts'

/**
 * Moves an unpacked bundle to where nobody but the operation looks, and makes sure that it is still what was disclosed: the
 * cache may lie where others can write, and a question can stand for hours. To another device it is copied.
 * @throws STATE_*, STATE_CHANGED
 */
export const moveBundle = (disk: Disk, staged: StagedBundle, to: string): void => {
  if (tryRename(disk, staged.dir, to)) return requireUnchanged(staged, to)
  for (const file of staged.files) copyBundleFile(disk, join(staged.dir, file.path), join(to, file.path), file)
}

/** False where another device is in between. */
const tryRename = (disk: Disk, from: string, to: string): boolean =>
  withDiskErrors('move', from, () => {
    try {
      disk.renameSync(from, to)
      return true
    } catch (error) {
      if (isErrno(error, 'EXDEV')) return false
      throw error
    }
  })

/** Only looks, so it is no part of what an operation does to the disk. */
const requireUnchanged = ({ files, manifest }: StagedBundle, dir: string): void => {
  const now = hashTree(dir, realDisk)
  if (now.unexpected.length === 0 && bundleDigest(now.files, now.manifest) === bundleDigest(files, manifest)) return
  const known = new Map(files.map((file) => [file.path, fileFingerprint(file)]))
  const other = now.files.find((file) => known.get(file.path) !== fileFingerprint(file))
  throw bundleChangedError(now.unexpected[0] ?? (other === undefined ? 'a file' : quote(other.path)))
}

const bundleChangedError = (what: string): GsdError =>
  new GsdError('STATE_CHANGED', `${what} changed between being checked and being installed`, {
    hint: 'run the command again; whoever can write to the cache folder could have done it',
  })

const CHUNK_SIZE = 1024 * 1024

const copyBundleFile = (disk: Disk, from: string, to: string, file: BundleFile): void => {
  ensureFolder(disk, dirname(to))
  const hash = createHash('sha512')
  withDiskErrors('copy', to, () => {
    const source = disk.openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const target = disk.openSync(to, 'wx', 0o600)
      try {
        const buffer = Buffer.allocUnsafe(CHUNK_SIZE)
        for (
          let read = disk.readSync(source, buffer, 0, CHUNK_SIZE, null);
          read > 0;
          read = disk.readSync(source, buffer, 0, CHUNK_SIZE, null)
        ) {
          hash.update(buffer.subarray(0, read))
          writeAll(disk, target, buffer.subarray(0, read))
        }
        disk.fchmodSync(target, file.executable ? 0o755 : 0o644)
      } finally {
        disk.closeSync(target)
      }
    } finally {
      disk.closeSync(source)
    }
  })
  if (hash.digest('hex') === file.sha512) return
  throw bundleChangedError(quote(file.path))
}
