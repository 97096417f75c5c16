import { errnoOf, GsdError } from '../errors.ts'
import { isErrno, errnoReason } from '../platform/disk-error.ts'
import { quote } from '../redact.ts'

/** A system error about a file of a source as FETCH_NOT_FOUND or FETCH_UNREADABLE; any other error unchanged. */
export const toReadError = (error: unknown, path: string): unknown => {
  const errno = errnoOf(error)
  if (errno === undefined || error instanceof GsdError || !/^E[A-Z0-9]+$/.test(errno)) return error
  if (isErrno(error, 'ENOENT', 'ENOTDIR')) {
    return new GsdError('FETCH_NOT_FOUND', `${quote(path)} does not exist`, {
      hint: 'check the spelling; a relative path starts from the working directory',
      cause: error,
    })
  }
  return new GsdError('FETCH_UNREADABLE', `cannot read ${quote(path)}: ${errnoReason(errno).text}`, {
    ...(isErrno(error, 'EACCES', 'EPERM') ? { hint: 'check who may read the file and its folders' } : {}),
    cause: error,
  })
}

/** A source that changed between listing and reading. */
export const changedWhileReadError = (path: string): GsdError =>
  new GsdError('FETCH_UNREADABLE', `${quote(path)} changed while it was read`, {
    hint: 'try again when no program writes to it',
  })
