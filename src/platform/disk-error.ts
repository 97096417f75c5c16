import type { Code } from '../codes.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

/** Why the system refused, in words, with the code that stands for it. Everything else is STATE_IO. */
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
        text: 'it would have to move to another file system',
        hint: 'keep both on the same file system',
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
        text: 'it is not there any more',
        hint: 'see that the folder above it exists, and try again',
      },
    ],
    [
      'EEXIST',
      { code: 'STATE_CHANGED', text: 'something is there already', hint: 'look what it is, and move it away' },
    ],
    [
      'ENOTEMPTY',
      { code: 'STATE_CHANGED', text: 'something is in it already', hint: 'look what it is, and move it away' },
    ],
    [
      'ENOTDIR',
      {
        code: 'STATE_CHANGED',
        text: 'a part of its path is not a folder',
        hint: 'look which one it is, and move it away',
      },
    ],
    ['ELOOP', { code: 'STATE_LINKED', text: 'its links go round in a circle', hint: 'mend the links' }],
    ['ENAMETOOLONG', { code: 'STATE_IO', text: 'the name is too long', hint: 'use a folder with a shorter path' }],
  ])

/**
 * What the system said about a file, as an error of this program. Errors that are ours already, or not of the system,
 * come back as they are.
 *
 * @param doing what was tried, as it reads before a path: `write`, `move`, `create the folder`
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

/** The words for an errno, and the code and hint that go with it. */
export const errnoReason = (errno: string): { readonly code: Code; readonly text: string; readonly hint?: string } =>
  ERRNO_REASONS.get(errno) ?? { code: 'STATE_IO', text: `the system answered ${errno}` }

/** Runs one call of the disk; see {@link diskError}. */
export const withDiskErrors = <T>(doing: string, file: string, call: () => T): T => {
  try {
    return call()
  } catch (error) {
    throw diskError(error, doing, file)
  }
}

/** Node errors such as `ERR_INVALID_ARG_VALUE` have codes too; those of the system are capitals and digits. */
export const isErrno = (error: unknown, ...names: readonly string[]): boolean => {
  const errno = errnoOf(error)
  return errno !== undefined && names.includes(errno)
}

/** Some file systems have nothing to sync for a folder and say so with one of these. */
export const isSyncUnsupported = (error: unknown): boolean => isErrno(error, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP')
