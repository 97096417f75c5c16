import { basename, dirname } from 'node:path'
import { errnoOf, GsdError } from '../errors.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { reasonOf } from '../store/disk-error.ts'
import type { Disk } from '../store/disk.ts'

const CHECK = 'check the path; relative ones start at the working directory'

/**
 * Runs one call on a source that the user named by its path; what fails becomes a message about that path. `hint`: what to
 * do where it is not there, and nothing near it is.
 */
export const onSource = <T>(disk: Disk, path: string, call: () => T, hint = CHECK): T => {
  try {
    return call()
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === undefined || error instanceof GsdError) throw error
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR')
      throw notFetched(path, `cannot be read: ${reasonOf(errno).text}`, null, error)
    throw new GsdError('FETCH_NOT_FOUND', `${quote(path)} does not exist`, {
      hint: hintForMissing(disk, path, hint),
      cause: error,
    })
  }
}

/** The source is there and cannot be used. */
export const notFetched = (path: string, what: string, hint: string | null, cause?: unknown): GsdError =>
  new GsdError('FETCH_UNREADABLE', `${quote(path)} ${what}`, { ...(hint === null ? {} : { hint }), cause })

const hintForMissing = (disk: Disk, path: string, otherwise: string): string => {
  const [before = '', ref] = path.split('#')
  if (ref !== undefined && namesIn(disk, dirname(path)).includes(basename(before))) {
    return `a folder or file has no refs; for the repository in it write git+file://${path}`
  }
  const near = nearestWord(basename(path), namesIn(disk, dirname(path)))
  return near === null ? otherwise : `did you mean ${dirname(path)}/${near}?`
}

const namesIn = (disk: Disk, dir: string): readonly string[] => {
  try {
    return disk.readdirSync(dir).slice(0, MOST_NAMES)
  } catch {
    return []
  }
}

/** A hint is not worth more than this many comparisons. */
const MOST_NAMES = 1000
