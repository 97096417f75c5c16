import { constants } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { BundleFile, StagedBundle } from '../bundle/bundle.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isErrno, onDisk } from '../store/disk-error.ts'
import type { Disk } from '../store/disk.ts'
import { ensureFolder } from '../store/folders.ts'
import { writeAll } from '../store/write-all.ts'

/**
 * Moves an unpacked bundle. To another device it is copied, and every copy must have the hash that was disclosed.
 * @throws STATE_*, STATE_CHANGED
 */
export const moveBundle = (disk: Disk, staged: StagedBundle, to: string): void => {
  try {
    disk.renameSync(staged.dir, to)
  } catch (error) {
    if (!isErrno(error, 'EXDEV')) {
      onDisk('move', staged.dir, () => {
        throw error
      })
    }
    for (const file of staged.files) copyBundleFile(disk, join(staged.dir, file.path), join(to, file.path), file)
  }
}

const PIECE = 1024 * 1024

const copyBundleFile = (disk: Disk, from: string, to: string, file: BundleFile): void => {
  ensureFolder(disk, dirname(to))
  const hash = createHash('sha512')
  onDisk('copy', to, () => {
    const source = disk.openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const target = disk.openSync(to, 'wx', 0o600)
      try {
        const buffer = Buffer.allocUnsafe(PIECE)
        for (
          let read = disk.readSync(source, buffer, 0, PIECE, null);
          read > 0;
          read = disk.readSync(source, buffer, 0, PIECE, null)
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
  throw new GsdError('STATE_CHANGED', `${quote(file.path)} changed between being checked and being installed`, {
    hint: 'run the command again',
  })
}
