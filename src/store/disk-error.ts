import type { Code } from '../codes.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

/** Why the system refused, in words, with the code that stands for it. Everything else is STATE_IO. */
const REASONS: ReadonlyMap<string, { readonly code: Code; readonly text: string; readonly hint?: string }> = new Map([
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
  ['EROFS', { code: 'STATE_PERMISSION', text: 'the file system is read-only' }],
  ['EXDEV', { code: 'STATE_IO', text: 'it would have to move to another file system' }],
  ['EMFILE', { code: 'STATE_IO', text: 'too many open files' }],
  ['ENFILE', { code: 'STATE_IO', text: 'too many open files on this machine' }],
  ['EIO', { code: 'STATE_IO', text: 'the disk reported a fault' }],
  ['ENOENT', { code: 'STATE_CHANGED', text: 'it is not there any more' }],
  ['EEXIST', { code: 'STATE_CHANGED', text: 'something is there already' }],
  ['ENOTEMPTY', { code: 'STATE_CHANGED', text: 'something is in it already' }],
  ['ENOTDIR', { code: 'STATE_CHANGED', text: 'a part of its path is not a folder' }],
  ['ELOOP', { code: 'STATE_LINKED', text: 'its links go round in a circle' }],
  ['ENAMETOOLONG', { code: 'STATE_IO', text: 'the name is too long' }],
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
  const { code, text, hint } = reasonOf(errno)
  return new GsdError(code, `cannot ${doing} ${quote(file)}: ${text}`, {
    cause: error,
    details: { errno, file },
    ...(hint === undefined ? {} : { hint }),
  })
}

/** The words for an errno, and the code and hint that go with it. */
export const reasonOf = (errno: string): { readonly code: Code; readonly text: string; readonly hint?: string } =>
  REASONS.get(errno) ?? { code: 'STATE_IO', text: `the system answered ${errno}` }

/** Runs one call of the disk; see {@link diskError}. */
export const onDisk = <T>(doing: string, file: string, call: () => T): T => {
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
export const isUnsyncable = (error: unknown): boolean => isErrno(error, 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP')
