import { basename, dirname } from 'node:path'
import { errnoOf, GsdError } from '../errors.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { nearestWord } from '../nearest-word.ts'
import { errnoReason } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { LocalSpec } from '../spec/spec.ts'
import type { FetchContext, FetchResult } from './fetcher.ts'

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

export interface OverlapOptions {
  /** Real path of the folder or file that is installed from. */
  readonly source: string
  /** The same as the user wrote it. */
  readonly sourceText: string
  /** Real paths of `.gsd` folders. */
  readonly roots: readonly string[]
}

/**
 * A source that lies in a `.gsd` it is installed into, or holds it, would be changed by its own installation.
 * Folders are compared by what they are and not only by name: several names can lead to one on a disk that ignores case.
 *
 * @throws GsdError `FETCH_OVERLAPS_SCOPE`
 */
export const checkOverlap = (disk: Disk, { source, sourceText, roots }: OverlapOptions): void => {
  for (const root of roots) {
    if (liesIn(disk, source, root)) throw overlapError(sourceText, 'lies in', root)
    if (liesIn(disk, root, source)) throw overlapError(sourceText, 'contains', root)
  }
}

const overlapError = (named: string, how: string, root: string): GsdError =>
  new GsdError('FETCH_OVERLAPS_SCOPE', `${quote(named)} ${how} ${quote(root)}, where capabilities are installed`, {
    hint: 'copy the capability to a folder of its own and install that, or choose the other --scope',
  })

const liesIn = (disk: Disk, inner: string, outer: string): boolean => {
  const identity = fileIdentity(disk, outer)
  for (let at = inner; ; at = dirname(at)) {
    if (at === outer || (identity !== null && fileIdentity(disk, at) === identity)) return true
    if (at === dirname(at)) return false
  }
}

const fileIdentity = (disk: Disk, path: string): string | null => {
  try {
    const { dev, ino } = disk.statSync(path)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

/** A folder of this machine, where it is; nothing is copied here. */
export const fetchLocal = async ({ path }: LocalSpec, { disk, scopeRoots }: FetchContext): Promise<FetchResult> => {
  const dir = readSource(disk, path, () => disk.realpathSync(path))
  const stats = readSource(disk, path, () => disk.statSync(dir))
  if (!stats.isDirectory()) {
    throw unusableSource(
      path,
      stats.isFile() ? 'is a file, not a folder' : 'is not a folder',
      basename(path) === MANIFEST_FILE
        ? `name its folder: ${quote(dirname(path))}`
        : 'the name of an archive ends in .tgz or .tar.gz',
    )
  }
  readSource(disk, path, () => disk.readdirSync(dir))
  checkOverlap(disk, { source: dir, sourceText: path, roots: scopeRoots })
  return { source: { kind: 'folder', dir }, path: null, resolved: { kind: 'local' }, statedIntegrities: [], notes: [] }
}
