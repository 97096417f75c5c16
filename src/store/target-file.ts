import { constants, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { shellWord } from '../shell-word.ts'
import { isErrno, onDisk } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { hashOf } from './hash.ts'
import { readAll, uninterrupted } from './write-all.ts'

/** The path with every link followed. The file itself need not exist; its folder must. Throws STATE_*. */
export const realFile = (disk: Disk, file: string): string =>
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

/**
 * What stands at a real path, if it may be replaced; null when nothing does. Opens nothing.
 * @throws STATE_NOT_A_FILE, STATE_LINKED, STATE_PERMISSION
 */
export const replaceable = (disk: Disk, real: string): Stats | null => {
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
  if ((stats.mode & 0o200) === 0) refuse('STATE_PERMISSION', 'is read-only', `chmod u+w ${shellWord(real)}`)
  return stats
}

/**
 * Refuses a file whose content is not the expected one; see `ReplaceOptions.expect`.
 * @throws STATE_CHANGED
 */
export const expectHash = (disk: Disk, real: string, expect: string | null | undefined): void => {
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
