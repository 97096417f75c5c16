import { basename, dirname } from 'node:path'
import { errnoOf, GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { errnoReason } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'

const CHECK_PATH_HINT = 'check the path; relative ones start at the working directory'

/**
 * Runs one call on a source that the user named by its path; what fails becomes a message about that path. `hint`: what to
 * do where it is not there, and nothing near it is.
 */
export const readSource = <T>(disk: Disk, path: string, call: () => T, hint = CHECK_PATH_HINT): T => {
  try {
    return call()
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === undefined || error instanceof GsdError) throw error
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR')
      throw unusableSource(path, `cannot be read: ${errnoReason(errno).text}`, null, error)
    throw new GsdError('FETCH_NOT_FOUND', `${quote(path)} does not exist`, {
      hint: hintForMissing(disk, path, hint),
      cause: error,
    })
  }
}

/** The source is there and cannot be used. */
export const unusableSource = (path: string, what: string, hint: string | null, cause?: unknown): GsdError =>
  new GsdError('FETCH_UNREADABLE', `${quote(path)} ${what}`, { ...(hint === null ? {} : { hint }), cause })

const hintForMissing = (disk: Disk, path: string, otherwise: string): string => {
  const [before = '', ref] = path.split('#')
  if (ref !== undefined && listNames(disk, dirname(path)).includes(basename(before))) {
    return `a folder or file has no refs; for the repository in it write git+file://${path}`
  }
  const near = nearestWord(basename(path), listNames(disk, dirname(path)))
  return near === null ? otherwise : `did you mean ${dirname(path)}/${near}?`
}

const listNames = (disk: Disk, dir: string): readonly string[] => {
  try {
    return disk.readdirSync(dir).slice(0, MAX_NAMES)
  } catch {
    return []
  }
}

/** A hint is not worth more than this many comparisons. */
const MAX_NAMES = 1000
