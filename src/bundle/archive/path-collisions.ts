import { quote } from '../../redact.ts'
import { foldName } from '../path-rules.ts'
import { unsafeEntryError } from './archive-errors.ts'

/** The names taken so far, as a file system would see them that ignores case and normal forms. */
export interface PathCollisions {
  /** Takes `path` for a file or folder and every folder above it. Throws ARCHIVE_UNSAFE when two entries meet. */
  add(spelled: string, path: string, type: 'file' | 'directory'): void
}

/** Starts with nothing taken. `spelled` is the path as the source writes it, for messages. */
export const createPathCollisions = (): PathCollisions => {
  const taken = new Map<string, { readonly path: string; readonly type: 'file' | 'directory' }>()

  const claimOne = (spelled: string, path: string, key: string, type: 'file' | 'directory', own: boolean): void => {
    const before = taken.get(key)
    if (before === undefined) {
      taken.set(key, { path, type })
      return
    }
    if (before.type !== type)
      throw unsafeEntryError(spelled, 'file-as-folder', `uses ${quote(before.path)} both as a file and as a folder`)
    if (before.path !== path) {
      throw unsafeEntryError(
        spelled,
        'same-path-folded',
        `is the same path as ${quote(before.path)} where case and accents are not told apart`,
      )
    }
    if (own && type === 'file') throw unsafeEntryError(spelled, 'same-path', 'is there twice')
  }

  return {
    add(spelled, path, type) {
      let end = path.indexOf('/')
      let key = ''
      let start = 0
      while (end !== -1) {
        key += `/${foldName(path.slice(start, end))}`
        claimOne(spelled, path.slice(0, end), key, 'directory', false)
        start = end + 1
        end = path.indexOf('/', start)
      }
      claimOne(spelled, path, `${key}/${foldName(path.slice(start))}`, type, true)
    },
  }
}
