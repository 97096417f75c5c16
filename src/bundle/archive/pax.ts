import { corruptArchiveError, unsafeEntryError } from './archive-errors.ts'
import { decodeName } from './tar-header.ts'

/** What an extended header may change of the entry that follows. */
export interface PaxOverrides {
  readonly path?: string
  readonly size?: number
}

const SPACE = 0x20
const EQUALS = 0x3d
const NEWLINE = 0x0a

/**
 * Reads the records of an extended header by their lengths, so that a value is never taken for a record.
 * Only `path` and `size` count; sparse files are refused. Throws ARCHIVE_CORRUPT, ARCHIVE_UNSAFE.
 */
export const parsePax = (body: Buffer): PaxOverrides => {
  let path: string | undefined
  let size: number | undefined
  for (const [key, value] of paxRecords(body)) {
    if (key === 'path') {
      path = decodeName(value)
    } else if (key === 'size') {
      const digits = value.toString('latin1')
      if (!/^[0-9]{1,15}$/.test(digits)) throw malformedError()
      size = Number(digits)
    } else if (key.startsWith('GNU.sparse.')) {
      throw unsafeEntryError(path ?? key, 'sparse', 'is a sparse file')
    }
  }
  return { ...(path === undefined ? {} : { path }), ...(size === undefined ? {} : { size }) }
}

/** A global header may hold remarks (git writes the commit there), but not a name or size for all that follows. */
export const checkGlobalPax = (body: Buffer): void => {
  for (const [key, value] of paxRecords(body)) {
    if (key !== 'path' && key !== 'size' && key !== 'linkpath' && !key.startsWith('GNU.sparse.')) continue
    throw unsafeEntryError(
      `${key}=${value.toString('latin1')}`,
      'global-header',
      'is set for all entries of the archive at once',
    )
  }
}

/** `<length> <key>=<value>\n`, where the length counts the whole record. */
function* paxRecords(body: Buffer): Generator<readonly [string, Buffer]> {
  let at = 0
  while (at < body.length) {
    const space = body.indexOf(SPACE, at)
    const digits = space === -1 ? '' : body.toString('latin1', at, space)
    if (!/^[1-9][0-9]{0,8}$/.test(digits)) throw malformedError()
    const end = at + Number(digits)
    const equals = body.indexOf(EQUALS, space)
    if (end > body.length || equals === -1 || equals >= end || body[end - 1] !== NEWLINE) throw malformedError()
    const key = body.toString('utf8', space + 1, equals)
    if (/\p{Cc}/u.test(key)) throw malformedError()
    yield [key, body.subarray(equals + 1, end - 1)]
    at = end
  }
}

const malformedError = () =>
  corruptArchiveError('extended-header', 'the archive is damaged: an extended header in it is malformed')
