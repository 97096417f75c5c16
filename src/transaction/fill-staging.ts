import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BundleFile, StagedBundle } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import { GsdError } from '../errors.ts'
import { isErrno, withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { realDisk, writeAll } from '../platform/disk.ts'
import { ensureFolder } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import { fileFingerprint } from '../state/grants.ts'

/** What goes into the staging folder of a transaction. Each `to` is relative to that folder. */
export interface StagingInputs {
  /** Bundles that were unpacked elsewhere; they are moved. */
  readonly bundles?: readonly { readonly staged: StagedBundle; readonly to: string }[]
  readonly texts?: readonly { readonly text: string; readonly to: string }[]
  /** Files of the user that are preserved when their folder is replaced. */
  readonly copies?: readonly StagedCopy[]
}

/** A file that is linked or copied into the staging folder. */
export interface StagedCopy {
  /** Absolute. */
  readonly from: string
  /** Relative to the staging folder. */
  readonly to: string
}

/** Puts everything that a transaction installs into its staging folder. Throws STATE_*. */
export const fillStaging = (
  disk: Disk,
  dir: string,
  { bundles = [], texts = [], copies = [] }: StagingInputs,
): void => {
  const pathFor = (to: string): string => {
    const path = join(dir, to)
    ensureFolder(disk, dirname(path))
    return path
  }
  for (const { staged, to } of bundles) moveBundle(disk, staged, pathFor(to))
  for (const { text, to } of texts) writeNew(disk, pathFor(to), Buffer.from(text), 0o644)
  for (const { from, to } of copies) linkOrCopy(disk, from, pathFor(to))
}

/**
 * Moves an unpacked bundle, or copies it to another device, and checks that it is still what was disclosed: others may be
 * able to write to the cache, and a question may wait for hours.
 * @throws STATE_*, STATE_CHANGED
 */
const moveBundle = (disk: Disk, staged: StagedBundle, to: string): void => {
  if (tryRename(disk, staged.dir, to)) return requireUnchanged(staged, to)
  for (const file of staged.files) copyBundleFile(disk, join(staged.dir, file.path), join(to, file.path), file)
}

/** False when the target is on another device. */
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

/** Uses the real disk: crash tests count the calls that change something, and this only reads. */
const requireUnchanged = ({ files, manifest }: StagedBundle, dir: string): void => {
  const now = hashTree(dir, realDisk)
  if (now.unexpected.length === 0 && bundleDigest(now.files, now.manifest) === bundleDigest(files, manifest)) return
  const known = new Map(files.map((file) => [file.path, fileFingerprint(file)]))
  const other = now.files.find((file) => known.get(file.path) !== fileFingerprint(file))
  throw bundleChangedError(now.unexpected[0] ?? (other === undefined ? 'a file' : quote(other.path)))
}

const bundleChangedError = (what: string): GsdError =>
  new GsdError('STATE_CHANGED', `${what} changed after it was checked and before it was installed`, {
    hint: 'run the command again; somebody with write access to the cache folder may have changed it',
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

const writeNew = (disk: Disk, path: string, bytes: Uint8Array, mode: number): void =>
  withDiskErrors('write', path, () => {
    const fd = disk.openSync(path, 'wx', mode)
    try {
      writeAll(disk, fd, bytes)
    } finally {
      disk.closeSync(fd)
    }
  })

/** A hard link keeps the mode, and what a running capability still writes to the file. */
const linkOrCopy = (disk: Disk, from: string, to: string): void => {
  try {
    disk.linkSync(from, to)
  } catch {
    copyFile(disk, from, to)
  }
}

/** For file systems without hard links, or another file system. */
const copyFile = (disk: Disk, from: string, to: string): void =>
  withDiskErrors('copy', from, () => {
    const { mode } = disk.lstatSync(from)
    writeNew(disk, to, disk.readFileSync(from), 0o600)
    disk.chmodSync(to, mode & 0o7777)
  })
