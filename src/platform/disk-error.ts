import type { Code } from '../codes.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

/** Reason, error code and hint for the errors of the system. All others are STATE_IO. */
const ERRNO_REASONS: ReadonlyMap<string, { readonly code: Code; readonly text: string; readonly hint?: string }> =
  new Map([
    ['ENOSPC', { code: 'STATE_DISK_FULL', text: 'the disk is full', hint: 'make room on that disk and try again' }],
    [
      'EDQUOT',
      { code: 'STATE_DISK_FULL', text: 'your disk quota is used up', hint: 'make room on that disk and try again' },
    ],
    [
      'EACCES',
      { code: 'STATE_PERMISSION', text: 'permission denied', hint: 'check who may write there, then try again' },
    ],
    ['EPERM', { code: 'STATE_PERMISSION', text: 'not permitted', hint: 'check who may write there, then try again' }],
    [
      'EROFS',
      { code: 'STATE_PERMISSION', text: 'the file system is read-only', hint: 'name a place that can be written to' },
    ],
    [
      'EXDEV',
      {
        code: 'STATE_IO',
        text: 'the move would cross file systems',
        hint: 'keep both folders on one file system',
      },
    ],
    ['EMFILE', { code: 'STATE_IO', text: 'too many open files', hint: 'raise the limit: ulimit -n' }],
    [
      'ENFILE',
      { code: 'STATE_IO', text: 'too many open files on this machine', hint: 'close other programs, and try again' },
    ],
    ['EIO', { code: 'STATE_IO', text: 'the disk reported a fault', hint: 'check the disk; the system log says more' }],
    [
      'ENOENT',
      {
        code: 'STATE_CHANGED',
        text: 'it no longer exists',
        hint: 'check that its parent folder exists, and try again',
      },
    ],
    ['EEXIST', { code: 'STATE_CHANGED', text: 'it already exists', hint: 'move it away, and try again' }],
    [
      'ENOTEMPTY',
      { code: 'STATE_CHANGED', text: 'the folder is not empty', hint: 'move its content away, and try again' },
    ],
    [
      'ENOTDIR',
      {
        code: 'STATE_CHANGED',
        text: 'a part of its path is not a folder',
        hint: 'move that file away, and try again',
      },
    ],
    ['ELOOP', { code: 'STATE_LINKED', text: 'its links form a circle', hint: 'fix the links' }],
    ['ENAMETOOLONG', { code: 'STATE_IO', text: 'the name is too long', hint: 'use a folder with a shorter path' }],
  ])

/**
 * Converts an error of the system about a file into a GsdError. Other errors are returned unchanged.
 * @param doing what failed, as it reads before a path: `write`, `move`, `create the folder`
 */
export const diskError = (error: unknown, doing: string, file: string): unknown => {
  const errno = errnoOf(error)
  if (errno === undefined || error instanceof GsdError || !/^E[A-Z0-9]+$/.test(errno)) return error
  const { code, text, hint } = errnoReason(errno)
  return new GsdError(code, `cannot ${doing} ${quote(file)}: ${text}`, {
    cause: error,
    details: { errno, file },
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Reason, error code and hint for an errno. */
export const errnoReason = (errno: string): { readonly code: Code; readonly text: string; readonly hint?: string } =>
  ERRNO_REASONS.get(errno) ?? { code: 'STATE_IO', text: `the system answered ${errno}` }

/** Runs a call and converts its errors; see {@link diskError}. */
export const withDiskErrors = <T>(doing: string, file: string, call: () => T): T => {
  try {
    return call()
  } catch (error) {
    throw diskError(error, doing, file)
  }
}

export const isErrno = (error: unknown, ...names: readonly string[]): boolean => {
  const errno = errnoOf(error)
  return errno !== undefined && names.includes(errno)
}

/** A full or failing disk, or a limit of the system: it says nothing about the file that was used. */
export const isSystemFailure = ({ cause }: GsdError): boolean =>
  isErrno(cause, 'ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EINTR') ||
  (cause instanceof GsdError && isSystemFailure(cause))

/** Some file systems cannot sync a folder and answer with one of these. */
export const isSyncUnsupported = (error: unknown): boolean => isErrno(error, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP')
