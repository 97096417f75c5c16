import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isErrno, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { retryInterrupted, writeAll } from './file-io.ts'
import { syncPath } from './sync-path.ts'
import { realTargetPath } from './target-file.ts'

/** What goes into a temporary, and what it is to become. */
export interface TemporaryContent {
  readonly bytes: Uint8Array
  /** The real path of the file it is going to replace. */
  readonly real: string
  /** That file as it is; null when there is none. */
  readonly old: Stats | null
  /** Of a new file, less the umask. */
  readonly mode: number
  /** Of a new file, whatever the umask. */
  readonly exactMode: number | undefined
}

/** `.<name>.gsd-<operation>` beside the file. */
export const temporaryPathOf = (real: string, operation: string): string =>
  join(dirname(real), `.${basename(real)}.gsd-${operation}`)

/** Writes an exclusive temporary with owner, group and mode of the file it replaces. Throws errors of the system, STATE_*. */
export const writeTemporary = (disk: Disk, temporary: string, content: TemporaryContent): void => {
  const { bytes, real, old, mode, exactMode } = content
  const fd = openExclusive(disk, temporary, old === null ? (exactMode ?? mode) : 0o600)
  try {
    if (old !== null) copyOwnerAndMode(disk, fd, { real, old })
    else if (exactMode !== undefined) disk.fchmodSync(fd, exactMode)
    writeAll(disk, fd, bytes)
  } finally {
    disk.closeSync(fd)
  }
}

/** The name holds the operation, so whatever stands there is what this very operation left when it was stopped. */
const openExclusive = (disk: Disk, temporary: string, mode: number): number => {
  const open = (): number => retryInterrupted(() => disk.openSync(temporary, 'wx', mode))
  try {
    return open()
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    disk.unlinkSync(temporary)
    return open()
  }
}

const copyOwnerAndMode = (
  disk: Disk,
  fd: number,
  { real, old }: { readonly real: string; readonly old: Stats },
): void => {
  const fresh = disk.fstatSync(fd)
  if (fresh.uid !== old.uid || fresh.gid !== old.gid) {
    try {
      disk.fchownSync(fd, old.uid, old.gid)
    } catch (error) {
      if (!isErrno(error, 'EPERM')) throw error
      const owner = `user ${old.uid} and group ${old.gid}`
      throw new GsdError('STATE_PERMISSION', `${quote(real)} belongs to ${owner}; replacing it would change that`, {
        hint: 'run the command as its owner',
        cause: error,
      })
    }
  }
  disk.fchmodSync(fd, old.mode & 0o7777)
}

/** Takes away the temporary that a stopped operation left beside a file, if any. Throws STATE_*. */
export const removeTemporary = (disk: Disk, file: string, operation: string): void =>
  withDiskErrors('clean up beside', file, () => {
    try {
      const temporary = temporaryPathOf(realTargetPath(disk, file), operation)
      disk.unlinkSync(temporary)
      // Or it could come back with the power, when no journal speaks of it any more.
      syncPath(disk, dirname(temporary))
    } catch (error) {
      if (!isErrno(error instanceof GsdError ? error.cause : error, 'ENOENT', 'ENOTDIR')) throw error
    }
  })
