import { errnoOf } from '../errors.ts'
import { type LstatResult, lstatOrErrno } from './cache/file-stamp.ts'
import type { StatTracker } from './cache/stat-tracker.ts'

/** A file of a bundle, or why it cannot be had. `reason` is a clause: `is not a regular file`. */
export type BundleReadResult =
  /** The bytes are good until the next read. */
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'absent' | 'unreadable' | 'not-a-file' | 'outside' | 'too-large'; readonly reason: string }

/**
 * Reads files below one bundle's folder. Each is looked at before it is opened, so that a FIFO or device never is; links
 * are followed only as long as they stay inside (rules 15 and 21, and "Reading" of the manifest page).
 */
export class BundleReader {
  readonly #tracker: StatTracker
  readonly #root: string
  /** Folders below the root that were seen to be ordinary ones. */
  readonly #folders = new Set<string>()
  /** The first file that was read right below the root, and its place among the sights; see `Witness.lookThrough`. */
  #firstFile: { readonly name: string; readonly at: number } | null = null

  constructor(tracker: StatTracker, root: string) {
    this.#tracker = tracker
    this.#root = root
  }

  /**
   * @param path relative, with `/`
   * @param limit bytes
   */
  read(path: string, limit: number): BundleReadResult {
    const slash = path.lastIndexOf('/')
    const folder = slash === -1 ? this.#root : this.#resolveFolder(path.slice(0, slash))
    if (typeof folder !== 'string') return folder
    const place = this.#statPath(`${folder}/${path.slice(slash + 1)}`)
    if ('kind' in place) return place
    if (typeof place.statPath === 'string') return readFailure(place.statPath)
    if (!place.statPath.isFile()) return { kind: 'not-a-file', reason: 'is not a regular file' }
    if (place.statPath.size > limit) return { kind: 'too-large', reason: `is larger than ${limit / 1024} KiB` }
    try {
      const bytes = this.#tracker.read(place.path, place.statPath.size)
      if (this.#folders.size === 0 && place.path === `${this.#root}/${path}`)
        this.#firstFile = { name: path, at: this.#tracker.paths.length - 1 }
      return { kind: 'file', bytes }
    } catch (error) {
      return readFailure(errnoOf(error) ?? 'EIO')
    }
  }

  /** The absolute path of an inner folder, or why it cannot be entered. */
  #resolveFolder(path: string): string | BundleReadResult {
    let folder = this.#root
    for (const segment of path.split('/')) {
      const inner = `${folder}/${segment}`
      if (!this.#folders.has(inner)) {
        const place = this.#statFolder(inner, folder)
        if ('kind' in place) return place
        if (typeof place.statPath === 'string') return readFailure(place.statPath)
        if (!place.statPath.isDirectory()) return ABSENT
        folder = place.path
      } else folder = inner
    }
    return folder
  }

  #statFolder(folder: string, parent: string): ResolvedPath | BundleReadResult {
    const statPath = lstatOrErrno(folder)
    if (typeof statPath === 'string' || !statPath.isDirectory())
      return this.#followLink(folder, this.#tracker.record(folder, statPath))
    this.#folders.add(folder)
    if (this.#firstFile === null || parent !== this.#root)
      return { path: folder, statPath: this.#tracker.record(folder, statPath) }
    this.#tracker.trackThroughFolder(this.#firstFile.at, folder, this.#firstFile.name)
    this.#firstFile = null
    return { path: folder, statPath }
  }

  /** Looks at a path, through a link that stays inside. */
  #statPath(path: string): ResolvedPath | BundleReadResult {
    return this.#followLink(path, this.#tracker.lstat(path))
  }

  #followLink(path: string, statPath: LstatResult): ResolvedPath | BundleReadResult {
    if (typeof statPath === 'string' || !statPath.isSymbolicLink()) return { path, statPath }
    const target = this.#tracker.realpath(path)
    const root = this.#tracker.realpath(this.#root)
    if (target === null || root === null || !target.startsWith(`${root}/`)) return OUTSIDE
    return { path: target, statPath: this.#tracker.lstat(target) }
  }
}

interface ResolvedPath {
  readonly path: string
  readonly statPath: LstatResult
}

const OUTSIDE: BundleReadResult = { kind: 'outside', reason: 'is a link that leads out of the bundle' }
const ABSENT: BundleReadResult = { kind: 'absent', reason: 'does not exist' }

const readFailure = (errno: string): BundleReadResult =>
  errno === 'ENOENT' || errno === 'ENOTDIR' ? ABSENT : { kind: 'unreadable', reason: `cannot be read (${errno})` }
