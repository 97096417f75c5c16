import { constants, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import { diskError, isErrno, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { readAll, retryInterrupted, syncPath, writeAll } from './disk.ts'
import { sha512Hex } from './hash.ts'

export interface ReplaceOptions {
  /** Part of the temporary file's name, so that recovery finds it. */
  readonly operation: string
  /** Hex sha512 of the content that is replaced; null: the file is absent; undefined: not checked. */
  readonly expect: string | null | undefined
  /** Mode of a new file; an existing one keeps its own. Default: 0644 less the umask. */
  readonly mode?: number
  /** Mode of a file that is restored, whatever the umask. */
  readonly exactMode?: number | undefined
}

/** The new content of a file, written beside it. */
export interface Replacement {
  /** Real path of the file. */
  readonly file: string
  /** To be synced before {@link Replacement.commit}. */
  readonly temporary: string
  /** Renames the new content over the file, if that is still the expected one. @throws STATE_CHANGED */
  readonly commit: () => void
  readonly discard: () => void
}

/**
 * The only way to replace a file that a user owns or the program depends on (security page, "Operations"). The bytes go
 * into an exclusive temporary file beside the real one, are synced, and renamed over it if its content is still the
 * expected one. No file is written in place.
 * @throws STATE_*
 */
export const replaceFile = (disk: Disk, file: string, bytes: Uint8Array, options: ReplaceOptions): void => {
  const replacement = prepareReplacement(disk, file, bytes, options)
  try {
    syncPath(disk, replacement.temporary)
    replacement.commit()
  } catch (error) {
    replacement.discard()
    throw error
  }
  syncPath(disk, dirname(replacement.file))
}

/** The first half of {@link replaceFile}: all that needs space, nothing that is visible. The caller syncs. */
export const prepareReplacement = (
  disk: Disk,
  file: string,
  bytes: Uint8Array,
  options: ReplaceOptions,
): Replacement => {
  const { operation, expect, mode = 0o644, exactMode } = options
  const real = realTargetPath(disk, file)
  const old = statReplaceable(disk, real)
  const temporary = temporaryPathOf(real, operation)
  const discard = (): void => removeQuietly(disk, temporary)
  try {
    writeTemporary(disk, temporary, { bytes, real, old, mode, exactMode })
  } catch (error) {
    discard()
    throw diskError(error, 'write', real)
  }
  const commit = (): void => {
    requireHash(disk, real, expect)
    withDiskErrors('replace', real, () => disk.renameSync(temporary, real))
  }
  return { file: real, temporary, commit, discard }
}

/**
 * Deletes a regular file whose content is the expected one.
 * @throws STATE_*
 */
export const removeFile = (disk: Disk, file: string, expect: string | undefined): void => {
  const real = realTargetPath(disk, file)
  if (statReplaceable(disk, real) === null && expect === undefined) return
  requireHash(disk, real, expect)
  withDiskErrors('delete', real, () => disk.unlinkSync(real))
  syncPath(disk, dirname(real))
}

const removeQuietly = (disk: Disk, temporary: string): void => {
  try {
    disk.unlinkSync(temporary)
  } catch {
    // It does not exist, or recovery removes it later.
  }
}

/** The path with every link resolved. The file need not exist; its folder must. @throws STATE_* */
export const realTargetPath = (disk: Disk, file: string): string =>
  withDiskErrors('find', file, () => {
    if (lstatOrNull(disk, file)?.isSymbolicLink() !== true)
      return join(disk.realpathSync(dirname(file)), basename(file))
    try {
      return disk.realpathSync(file)
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
      throw new GsdError('STATE_LINKED', `${quote(file)} is a link to a file that does not exist`, {
        hint: 'create the file it points to, or remove the link',
      })
    }
  })

/**
 * The stats of a file that may be replaced; null where it does not exist. Opens nothing.
 * @throws STATE_NOT_A_FILE, STATE_LINKED, STATE_PERMISSION
 */
export const statReplaceable = (disk: Disk, real: string): Stats | null => {
  const stats = withDiskErrors('inspect', real, () => lstatOrNull(disk, real))
  if (stats === null) return null
  const refuse = (
    code: 'STATE_NOT_A_FILE' | 'STATE_LINKED' | 'STATE_PERMISSION',
    what: string,
    hint: string,
  ): never => {
    throw new GsdError(code, `${quote(real)} ${what}`, { hint })
  }
  if (!stats.isFile()) refuse('STATE_NOT_A_FILE', 'is not a regular file', 'move it away')
  if (stats.nlink > 1) {
    refuse(
      'STATE_LINKED',
      `has ${stats.nlink} hard links; replacing it would separate them`,
      'remove the other links, and try again',
    )
  }
  // The owner protected the file; for root the system itself would not check.
  if ((stats.mode & 0o200) === 0) refuse('STATE_PERMISSION', 'is read-only', `chmod u+w ${shellQuote(real)}`)
  return stats
}

/**
 * Refuses a file whose content is not the expected one; see `ReplaceOptions.expect`.
 * @throws STATE_CHANGED
 */
export const requireHash = (disk: Disk, real: string, expect: string | null | undefined): void => {
  if (expect === undefined) return
  const found = withDiskErrors('read', real, () => currentHash(disk, real))
  if (found === expect) return
  throw new GsdError('STATE_CHANGED', `${quote(real)} was changed while this operation ran`, { hint: 'try again' })
}

const currentHash = (disk: Disk, real: string): string | null => {
  const stats = lstatOrNull(disk, real)
  if (stats === null) return null
  if (!stats.isFile()) return 'not a file'
  const fd = retryInterrupted(() =>
    disk.openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
  )
  try {
    return sha512Hex(readAll(disk, fd, Number.MAX_SAFE_INTEGER))
  } finally {
    disk.closeSync(fd)
  }
}

const lstatOrNull = (disk: Disk, path: string): Stats | null => {
  try {
    return disk.lstatSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}

/** The content of a temporary file, and the file that it will replace. */
export interface TemporaryContent {
  readonly bytes: Uint8Array
  /** The real path of that file. */
  readonly real: string
  /** Its stats; null where it does not exist. */
  readonly old: Stats | null
  /** Mode of a new file, less the umask. */
  readonly mode: number
  /** Mode of a new file, whatever the umask. */
  readonly exactMode: number | undefined
}

/** `.<name>.gsd-<operation>` beside the file. */
export const temporaryPathOf = (real: string, operation: string): string =>
  join(dirname(real), `.${basename(real)}.gsd-${operation}`)

/** Writes an exclusive temporary file with owner, group and mode of the replaced one. @throws system errors, STATE_* */
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

/** The name contains the operation, so an existing file is a leftover of the same operation. */
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

/** Removes the temporary file that a stopped operation left beside a file, if any. @throws STATE_* */
export const removeTemporary = (disk: Disk, file: string, operation: string): void =>
  withDiskErrors('clean up beside', file, () => {
    try {
      const temporary = temporaryPathOf(realTargetPath(disk, file), operation)
      disk.unlinkSync(temporary)
      // Else it could reappear after a power cut, when no journal names it any more.
      syncPath(disk, dirname(temporary))
    } catch (error) {
      if (!isErrno(error instanceof GsdError ? error.cause : error, 'ENOENT', 'ENOTDIR')) throw error
    }
  })
