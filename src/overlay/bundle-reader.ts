import { errnoOf } from '../errors.ts'
import { type LstatResult, lstatOrErrno } from './cache/file-stamp.ts'
import type { StatTracker } from './cache/stat-tracker.ts'

/** A file of a bundle, or why it cannot be read. `reason` is a clause: `is not a regular file`. */
export type BundleReadResult =
  /** The bytes are valid until the next read. */
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'absent' | 'unreadable' | 'not-a-file' | 'outside' | 'too-large'; readonly reason: string }

/**
 * Reads files of one bundle. Each is checked by lstat before it is opened, so that a FIFO or device never is; links are
 * followed only inside the bundle (rules 15 and 21, and "Reading" on the manifest page).
 */
export class BundleReader {
  readonly #tracker: StatTracker
  readonly #root: string
  /** Folders below the root that are known not to be links. */
  readonly #folders = new Set<string>()
  /** The first file read directly in the root, and its index in the tracked paths; see `StatTracker.trackThroughFolder`. */
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
    const found = this.#statPath(`${folder}/${path.slice(slash + 1)}`)
    if ('kind' in found) return found
    if (typeof found.stat === 'string') return readFailure(found.stat)
    if (!found.stat.isFile()) return { kind: 'not-a-file', reason: 'is not a regular file' }
    if (found.stat.size > limit) return { kind: 'too-large', reason: `is larger than ${limit / 1024} KiB` }
    try {
      const bytes = this.#tracker.read(found.path, found.stat.size)
      if (this.#folders.size === 0 && found.path === `${this.#root}/${path}`)
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
        const found = this.#statFolder(inner, folder)
        if ('kind' in found) return found
        if (typeof found.stat === 'string') return readFailure(found.stat)
        if (!found.stat.isDirectory()) return ABSENT
        folder = found.path
      } else folder = inner
    }
    return folder
  }

  #statFolder(folder: string, parent: string): ResolvedPath | BundleReadResult {
    const stat = lstatOrErrno(folder)
    if (typeof stat === 'string' || !stat.isDirectory())
      return this.#followLink(folder, this.#tracker.record(folder, stat))
    this.#folders.add(folder)
    if (this.#firstFile === null || parent !== this.#root)
      return { path: folder, stat: this.#tracker.record(folder, stat) }
    this.#tracker.trackThroughFolder(this.#firstFile.at, folder, this.#firstFile.name)
    this.#firstFile = null
    return { path: folder, stat }
  }

  /** The stats of a path; of its target, for a link that stays inside. */
  #statPath(path: string): ResolvedPath | BundleReadResult {
    return this.#followLink(path, this.#tracker.lstat(path))
  }

  #followLink(path: string, stat: LstatResult): ResolvedPath | BundleReadResult {
    if (typeof stat === 'string' || !stat.isSymbolicLink()) return { path, stat }
    const target = this.#tracker.realpath(path)
    const root = this.#tracker.realpath(this.#root)
    if (target === null || root === null || !target.startsWith(`${root}/`)) return OUTSIDE
    return { path: target, stat: this.#tracker.lstat(target) }
  }
}

interface ResolvedPath {
  readonly path: string
  readonly stat: LstatResult
}

const OUTSIDE: BundleReadResult = { kind: 'outside', reason: 'is a link to a file outside the bundle' }
const ABSENT: BundleReadResult = { kind: 'absent', reason: 'does not exist' }

const readFailure = (errno: string): BundleReadResult =>
  errno === 'ENOENT' || errno === 'ENOTDIR' ? ABSENT : { kind: 'unreadable', reason: `cannot be read (${errno})` }
