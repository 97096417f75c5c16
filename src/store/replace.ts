import { constants, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isErrno, isUnsyncable, onDisk } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { hashOf } from './hash.ts'
import { readAll, uninterrupted, writeAll } from './write-all.ts'

export interface ReplaceOptions {
  /** Names the temporary, so that recovery finds it. */
  readonly operation: string
  /** Hex sha512 of the bytes the new ones were made from; null: no file was there; undefined: whatever is there now. */
  readonly expect: string | null | undefined
  /** Of a file that was not there before; one that was keeps its own. Default 0666 less the umask. */
  readonly mode?: number
  /** Of a file that was deleted and comes back: its mode as it was, whatever the umask. */
  readonly exactMode?: number | undefined
}

/** New bytes of a file, written beside it and not yet in its place. */
export interface Replacement {
  /** Real path of the file. */
  readonly file: string
  /** To be synced before {@link Replacement.commit}. */
  readonly temporary: string
  /** Puts the new bytes in place, if the file is still the one that was read. Throws STATE_CHANGED if not. */
  readonly commit: () => void
  readonly discard: () => void
}

/**
 * The one door for replacing a file that a user owns or the program depends on (security page, "Operations"). The bytes
 * go into an exclusive temporary beside the real file, are synced, and are renamed over it when its content is still the
 * expected one. The file is never written in place.
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

/** First half of {@link replaceFile}: everything that needs space, and nothing that anybody sees. The caller syncs. */
export const prepareReplacement = (
  disk: Disk,
  file: string,
  bytes: Uint8Array,
  options: ReplaceOptions,
): Replacement => {
  const real = realFile(disk, file)
  const old = replaceable(disk, real)
  const temporary = temporaryOf(real, options.operation)
  const discard = (): void => dropQuietly(disk, temporary)
  try {
    writeTemporary(disk, temporary, { bytes, old, options })
  } catch (error) {
    discard()
    return onDisk('write', real, () => {
      throw error
    })
  }
  const commit = (): void => {
    expectHash(disk, real, options.expect)
    onDisk('replace', real, () => disk.renameSync(temporary, real))
  }
  return { file: real, temporary, commit, discard }
}

/**
 * Deletes a file behind the same door: only a regular file, and only while its content is the expected one.
 * @throws STATE_*
 */
export const removeFile = (disk: Disk, file: string, expect: string | undefined): void => {
  const real = realFile(disk, file)
  if (replaceable(disk, real) === null && expect === undefined) return
  expectHash(disk, real, expect)
  onDisk('delete', real, () => disk.unlinkSync(real))
  syncPath(disk, dirname(real))
}

/** `.<name>.gsd-<operation>` beside the file. */
export const temporaryOf = (real: string, operation: string): string =>
  join(dirname(real), `.${basename(real)}.gsd-${operation}`)

/** Takes away the temporary that a stopped operation left beside a file, if any. Throws STATE_*. */
export const dropTemporary = (disk: Disk, file: string, operation: string): void =>
  onDisk('clean up beside', file, () => {
    try {
      disk.unlinkSync(temporaryOf(realFile(disk, file), operation))
    } catch (error) {
      if (!isErrno(error instanceof GsdError ? error.cause : error, 'ENOENT', 'ENOTDIR')) throw error
    }
  })

const dropQuietly = (disk: Disk, temporary: string): void => {
  try {
    disk.unlinkSync(temporary)
  } catch {
    // Not made, or gone; else recovery takes it.
  }
}

/** Syncs one file or folder. */
export const syncPath = (disk: Disk, path: string): void =>
  onDisk('sync', path, () => {
    const fd = uninterrupted(() => disk.openSync(path, constants.O_RDONLY))
    try {
      uninterrupted(() => disk.fsyncSync(fd))
    } catch (error) {
      if (!isUnsyncable(error)) throw error
    } finally {
      disk.closeSync(fd)
    }
  })

/** The path with every link followed. The file itself need not exist; its folder must. */
const realFile = (disk: Disk, file: string): string =>
  onDisk('find', file, () => {
    if (statOf(disk, file)?.isSymbolicLink() !== true) return join(disk.realpathSync(dirname(file)), basename(file))
    try {
      return disk.realpathSync(file)
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
      throw new GsdError('STATE_LINKED', `${quote(file)} is a link to a file that does not exist`, {
        hint: 'create the file it points to, or remove the link',
      })
    }
  })

/** What stands at the path, if it may be replaced; null when nothing does. Opens nothing. */
const replaceable = (disk: Disk, real: string): Stats | null => {
  const stats = onDisk('look at', real, () => statOf(disk, real))
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
      `has ${stats.nlink} hard links; replacing it would part them`,
      'leave one link and try again',
    )
  }
  // The bit is the owner's word, whoever we run as; for root the system itself would not ask.
  if ((stats.mode & 0o200) === 0) refuse('STATE_PERMISSION', 'is read-only', `chmod u+w ${quote(real)}`)
  return stats
}

interface Temporary {
  readonly bytes: Uint8Array
  readonly old: Stats | null
  readonly options: ReplaceOptions
}

const writeTemporary = (disk: Disk, temporary: string, { bytes, old, options }: Temporary): void => {
  const fd = openExclusive(disk, temporary, old === null ? (options.exactMode ?? options.mode ?? 0o666) : 0o600)
  try {
    if (old !== null) takeOver(disk, fd, old)
    else if (options.exactMode !== undefined) disk.fchmodSync(fd, options.exactMode)
    writeAll(disk, fd, bytes)
  } finally {
    disk.closeSync(fd)
  }
}

/** The name holds the operation, so whatever stands there is what this very operation left when it was stopped. */
const openExclusive = (disk: Disk, temporary: string, mode: number): number => {
  const open = (): number => uninterrupted(() => disk.openSync(temporary, 'wx', mode))
  try {
    return open()
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    disk.unlinkSync(temporary)
    return open()
  }
}

/** Owner, group and mode of the old file. Who cannot keep them may not replace it: it would change hands. */
const takeOver = (disk: Disk, fd: number, old: Stats): void => {
  const fresh = disk.fstatSync(fd)
  if (fresh.uid !== old.uid || fresh.gid !== old.gid) disk.fchownSync(fd, old.uid, old.gid)
  disk.fchmodSync(fd, old.mode & 0o7777)
}

const expectHash = (disk: Disk, real: string, expect: string | null | undefined): void => {
  if (expect === undefined) return
  const found = onDisk('read', real, () => hashNow(disk, real))
  if (found === expect) return
  throw new GsdError('STATE_CHANGED', `${quote(real)} was changed while this operation ran`, { hint: 'try again' })
}

const hashNow = (disk: Disk, real: string): string | null => {
  const stats = statOf(disk, real)
  if (stats === null) return null
  if (!stats.isFile()) return 'not a file'
  const fd = uninterrupted(() => disk.openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
  try {
    return hashOf(readAll(disk, fd, Number.MAX_SAFE_INTEGER))
  } finally {
    disk.closeSync(fd)
  }
}

const statOf = (disk: Disk, path: string): Stats | null => {
  try {
    return disk.lstatSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}
