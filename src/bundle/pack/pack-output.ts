import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { Gzip } from 'fflate'
import { GsdError } from '../../errors.ts'
import { diskError, isErrno, withDiskErrors } from '../../platform/disk-error.ts'
import type { Disk } from '../../platform/disk.ts'
import { syncPath, writeAll } from '../../platform/disk.ts'
import { temporaryPathOf } from '../../platform/replace-file.ts'
import { quote } from '../../redact.ts'
import { createIntegrityHash } from '../integrity.ts'

/** A .tgz that is being written, beside its final path until it is complete. */
export interface PackOutput {
  write(bytes: Uint8Array): void
  /** Ends the stream. The final path is still unchanged. */
  finish(): { readonly integrity: string; readonly size: number }
  /** Syncs the archive and renames it to its final path. Throws STATE_*. */
  commit(): void
  /** Removes what was written. Never throws. */
  discard(): void
}

const CHUNK_SIZE = 64 * 1024

/**
 * Opens the output. The compressor is plain JavaScript and gets its input in pieces of one size, so that the same bundle
 * gives the same bytes on every machine and every version of Node. A dry run counts and hashes only. Throws STATE_*.
 */
export const openPackOutput = (disk: Disk, file: string, { dryRun }: { readonly dryRun: boolean }): PackOutput => {
  requireReplaceableFile(disk, file)
  const temporary = temporaryPathOf(file, randomBytes(6).toString('hex'))
  const fd = dryRun ? null : withDiskErrors('create', temporary, () => disk.openSync(temporary, 'wx', 0o644))
  const hash = createIntegrityHash()
  let size = 0
  let isOpen = true
  const gzip = new Gzip({ level: 9, mtime: 0 }, (chunk) => {
    hash.update(chunk)
    size += chunk.length
    if (fd !== null) withDiskErrors('write', file, () => writeAll(disk, fd, chunk))
  })
  const piece = new Uint8Array(CHUNK_SIZE)
  let filled = 0

  return {
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + CHUNK_SIZE - filled)
        piece.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < CHUNK_SIZE) continue
        gzip.push(piece)
        filled = 0
      }
    },
    finish() {
      gzip.push(piece.subarray(0, filled), true)
      isOpen = false
      if (fd !== null) withDiskErrors('write', file, () => disk.closeSync(fd))
      return { integrity: hash.digest(), size }
    },
    commit() {
      if (fd === null) return
      syncPath(disk, temporary)
      withDiskErrors('write', file, () => disk.renameSync(temporary, file))
      syncPath(disk, dirname(file))
    },
    discard() {
      if (fd === null) return
      try {
        if (isOpen) disk.closeSync(fd)
        disk.unlinkSync(temporary)
      } catch {
        // Already gone.
      }
    },
  }
}

/** The path with the links of its folder resolved, so that it can be compared with files of the bundle. */
export const resolveOutput = (disk: Disk, file: string): string => {
  const folder = dirname(file)
  try {
    return join(disk.realpathSync(folder), basename(file))
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw diskError(error, 'find the folder of', file)
    throw new GsdError('USAGE_BAD_VALUE', `there is no folder ${quote(folder)} to put the archive in`, {
      hint: 'create it, or name another output file',
    })
  }
}

/** An older archive is replaced, nothing else is. */
const requireReplaceableFile = (disk: Disk, file: string): void => {
  let isFile = true
  try {
    isFile = disk.lstatSync(file).isFile()
  } catch {
    // Usually nothing exists there.
  }
  if (!isFile) {
    throw new GsdError('STATE_NOT_A_FILE', `${quote(file)} is not a regular file`, { hint: 'name another output file' })
  }
}
