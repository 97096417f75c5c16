import { errnoOf } from '../errors.ts'
import { type Look, lookAt } from './look.ts'
import type { Witness } from './witness.ts'

/** A file of a bundle, or why it cannot be had. `reason` is a clause: `is not a regular file`. */
export type InsideFile =
  /** The bytes are good until the next read. */
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'absent' | 'unreadable' | 'not-a-file' | 'outside' | 'too-large'; readonly reason: string }

/**
 * Reads files below one bundle's folder. Each is looked at before it is opened, so that a FIFO or device never is; links
 * are followed only as long as they stay inside (rules 15 and 21, and "Reading" of the manifest page).
 */
export class InsideReader {
  readonly #witness: Witness
  readonly #root: string
  /** Folders below the root that were seen to be ordinary ones. */
  readonly #folders = new Set<string>()
  /** The first file that was read right below the root, and its place among the sights; see `Witness.lookThrough`. */
  #first: { readonly name: string; readonly at: number } | null = null

  constructor(witness: Witness, root: string) {
    this.#witness = witness
    this.#root = root
  }

  /**
   * @param path relative, with `/`
   * @param limit bytes
   */
  read(path: string, limit: number): InsideFile {
    const slash = path.lastIndexOf('/')
    const folder = slash === -1 ? this.#root : this.#enter(path.slice(0, slash))
    if (typeof folder !== 'string') return folder
    const place = this.#look(`${folder}/${path.slice(slash + 1)}`)
    if ('kind' in place) return place
    if (typeof place.look === 'string') return refusal(place.look)
    if (!place.look.isFile()) return { kind: 'not-a-file', reason: 'is not a regular file' }
    if (place.look.size > limit) return { kind: 'too-large', reason: `is larger than ${limit / 1024} KiB` }
    try {
      const bytes = this.#witness.read(place.path, place.look.size)
      if (this.#folders.size === 0 && place.path === `${this.#root}/${path}`)
        this.#first = { name: path, at: this.#witness.paths.length - 1 }
      return { kind: 'file', bytes }
    } catch (error) {
      return refusal(errnoOf(error) ?? 'EIO')
    }
  }

  /** The absolute path of an inner folder, or why it cannot be entered. */
  #enter(path: string): string | InsideFile {
    let folder = this.#root
    for (const segment of path.split('/')) {
      const inner = `${folder}/${segment}`
      if (!this.#folders.has(inner)) {
        const place = this.#lookAtFolder(inner, folder)
        if ('kind' in place) return place
        if (typeof place.look === 'string') return refusal(place.look)
        if (!place.look.isDirectory()) return ABSENT
        folder = place.path
      } else folder = inner
    }
    return folder
  }

  #lookAtFolder(folder: string, parent: string): Place | InsideFile {
    const look = lookAt(folder)
    if (typeof look === 'string' || !look.isDirectory()) return this.#follow(folder, this.#witness.note(folder, look))
    this.#folders.add(folder)
    if (this.#first === null || parent !== this.#root) return { path: folder, look: this.#witness.note(folder, look) }
    this.#witness.lookThrough(this.#first.at, folder, this.#first.name)
    this.#first = null
    return { path: folder, look }
  }

  /** Looks at a path, through a link that stays inside. */
  #look(path: string): Place | InsideFile {
    return this.#follow(path, this.#witness.lstat(path))
  }

  #follow(path: string, look: Look): Place | InsideFile {
    if (typeof look === 'string' || !look.isSymbolicLink()) return { path, look }
    const target = this.#witness.realpath(path)
    const root = this.#witness.realpath(this.#root)
    if (target === null || root === null || !target.startsWith(`${root}/`)) return OUTSIDE
    return { path: target, look: this.#witness.lstat(target) }
  }
}

interface Place {
  readonly path: string
  readonly look: Look
}

const OUTSIDE: InsideFile = { kind: 'outside', reason: 'is a link that leads out of the bundle' }
const ABSENT: InsideFile = { kind: 'absent', reason: 'does not exist' }

const refusal = (errno: string): InsideFile =>
  errno === 'ENOENT' || errno === 'ENOTDIR' ? ABSENT : { kind: 'unreadable', reason: `cannot be read (${errno})` }
