import { basename, dirname } from 'node:path'
import { errnoOf, GsdError } from '../errors.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { nearestWord } from '../nearest-word.ts'
import { errnoReason } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { LocalSpec } from '../spec/spec.ts'
import type { FetchContext, FetchResult } from './fetcher.ts'

const CHECK_PATH_HINT = 'check the path; relative ones are resolved against the working directory'

/**
 * Runs a call on a source that the user named by its path, and converts its errors.
 * @param hint for a missing path without a similar name beside it
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

/** The source exists but cannot be used. */
export const unusableSource = (path: string, what: string, hint: string | null, cause?: unknown): GsdError =>
  new GsdError('FETCH_UNREADABLE', `${quote(path)} ${what}`, { ...(hint === null ? {} : { hint }), cause })

const hintForMissing = (disk: Disk, path: string, otherwise: string): string => {
  const [before = '', ref] = path.split('#')
  if (ref !== undefined && listNames(disk, dirname(path)).includes(basename(before))) {
    return `a folder or file has no refs; for the repository in it use git+file://${path}`
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

/** Names that are compared for a hint. */
const MAX_NAMES = 1000

export interface OverlapOptions {
  /** Real path of the source. */
  readonly source: string
  /** The source as the user wrote it. */
  readonly sourceText: string
  /** Real paths of `.gsd` folders. */
  readonly roots: readonly string[]
}

/**
 * Refuses a source inside the `.gsd` folder that it is installed into, or around it: its own installation would change it.
 * Folders are compared by inode too, because on a file system that ignores case one folder has several names.
 * @throws GsdError `FETCH_OVERLAPS_SCOPE`
 */
export const checkOverlap = (disk: Disk, { source, sourceText, roots }: OverlapOptions): void => {
  for (const root of roots) {
    if (liesIn(disk, source, root)) throw overlapError(sourceText, 'is inside', root)
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

/** A local folder, used in place. */
export const fetchLocal = async ({ path }: LocalSpec, { disk, scopeRoots }: FetchContext): Promise<FetchResult> => {
  const dir = readSource(disk, path, () => disk.realpathSync(path))
  const stats = readSource(disk, path, () => disk.statSync(dir))
  if (!stats.isDirectory()) {
    throw unusableSource(
      path,
      stats.isFile() ? 'is a file, not a folder' : 'is not a folder',
      basename(path) === MANIFEST_FILE
        ? `name its folder: ${quote(dirname(path))}`
        : 'an archive has a name that ends in .tgz or .tar.gz',
    )
  }
  readSource(disk, path, () => disk.readdirSync(dir))
  checkOverlap(disk, { source: dir, sourceText: path, roots: scopeRoots })
  return { source: { kind: 'folder', dir }, path: null, resolved: { kind: 'local' }, statedIntegrities: [], notes: [] }
}
