import { constants, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import { isErrno, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { readAll, retryInterrupted } from './file-io.ts'
import { sha512Hex } from './hash.ts'

/** The path with every link followed. The file itself need not exist; its folder must. Throws STATE_*. */
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
 * What stands at a real path, if it may be replaced; null when nothing does. Opens nothing.
 * @throws STATE_NOT_A_FILE, STATE_LINKED, STATE_PERMISSION
 */
export const statReplaceable = (disk: Disk, real: string): Stats | null => {
  const stats = withDiskErrors('look at', real, () => lstatOrNull(disk, real))
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
