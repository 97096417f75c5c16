import { constants } from 'node:fs'
import { GsdError } from '../errors.ts'
import { isErrno, withDiskErrors } from '../platform/disk-error.ts'
import { type Disk, readAll } from '../platform/disk.ts'
import { sha512Hex } from '../platform/hash.ts'
import { replaceFile, statReplaceable } from '../platform/replace-file.ts'
import { quote } from '../redact.ts'

/**
 * Refuses a place that the document cannot be written to, before anything runs for minutes.
 * @throws GsdError STATE_LINKED, STATE_PERMISSION, STATE_NOT_A_FILE
 */
export const checkReviewsFile = (disk: Disk, file: string): void => {
  if (isLink(disk, file))
    throw new GsdError('STATE_LINKED', `${quote(file)} is a link, and reviews are not written through links`, {
      hint: 'remove the link, or name another file with --out',
    })
  statReplaceable(disk, file)
}

const isLink = (disk: Disk, file: string): boolean =>
  withDiskErrors('inspect', file, () => {
    try {
      return disk.lstatSync(file).isSymbolicLink()
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return false
      throw error
    }
  })

/** Writes the document; an existing one is kept beside it as `.bak`, unless one is there already. @throws STATE_* */
export const writeReviews = (disk: Disk, file: string, text: string): void => {
  checkReviewsFile(disk, file)
  const old = readOrNull(disk, file)
  const backup = `${file}.bak`
  if (old !== null && readOrNull(disk, backup) === null)
    replaceFile(disk, backup, old, { operation: 'review', expect: null })
  const expect = old === null ? null : sha512Hex(old)
  replaceFile(disk, file, Buffer.from(text), { operation: 'review', expect })
}

const MAX_SIZE = 256 * 1024 * 1024

const readOrNull = (disk: Disk, file: string): Buffer | null =>
  withDiskErrors('read', file, () => {
    let fd: number
    try {
      fd = disk.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return null
      throw error
    }
    try {
      return readAll(disk, fd, MAX_SIZE)
    } finally {
      disk.closeSync(fd)
    }
  })
