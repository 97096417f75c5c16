import { quote } from '../../redact.ts'
import { foldName } from '../path-rules.ts'
import { unsafeEntryError } from './archive-errors.ts'

/** The names so far, as a file system sees them that ignores case and normal forms. */
export interface PathCollisions {
  /** Adds `path` and every folder above it. Throws ARCHIVE_UNSAFE when two entries collide. */
  add(written: string, path: string, type: 'file' | 'directory'): void
}

/** Starts empty. `written` is the path as the source writes it, for messages. */
export const createPathCollisions = (): PathCollisions => {
  const taken = new Map<string, { readonly path: string; readonly type: 'file' | 'directory' }>()

  const addOne = (written: string, path: string, key: string, type: 'file' | 'directory', own: boolean): void => {
    const before = taken.get(key)
    if (before === undefined) {
      taken.set(key, { path, type })
      return
    }
    if (before.type !== type)
      throw unsafeEntryError(written, 'file-as-folder', `uses ${quote(before.path)} both as a file and as a folder`)
    if (before.path !== path) {
      throw unsafeEntryError(
        written,
        'same-path-folded',
        `is the same path as ${quote(before.path)} on file systems that ignore case or accents`,
      )
    }
    if (own && type === 'file') throw unsafeEntryError(written, 'same-path', 'is in the archive twice')
  }

  return {
    add(written, path, type) {
      let end = path.indexOf('/')
      let key = ''
      let start = 0
      while (end !== -1) {
        key += `/${foldName(path.slice(start, end))}`
        addOne(written, path.slice(0, end), key, 'directory', false)
        start = end + 1
        end = path.indexOf('/', start)
      }
      addOne(written, path, `${key}/${foldName(path.slice(start))}`, type, true)
    },
  }
}
