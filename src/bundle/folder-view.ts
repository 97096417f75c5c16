import { join } from 'node:path'
import { isErrno } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { compareUtf8 } from './byte-order.ts'
import type { Listing } from './listing.ts'
import type { FolderView } from './locate-bundle.ts'
import { isExcludedName, parentFolder } from './path-rules.ts'
import { toReadError } from './read-errors.ts'

/** A listed archive as a tree in which to find a bundle. */
export const viewOfListing = (listing: Listing): FolderView => {
  const files = new Set(listing.files.map((file) => file.path))
  const children = new Map<string, Set<string>>([['', new Set()]])

  const note = (path: string): void => {
    let end = path.length
    while (end > 0) {
      const slash = path.lastIndexOf('/', end - 1)
      const folder = path.slice(0, slash + 1)
      const name = path.slice(slash + 1, end)
      const names = children.get(folder)
      if (names?.has(name)) return
      if (names === undefined) children.set(folder, new Set([name]))
      else names.add(name)
      end = slash
    }
  }

  for (const file of listing.files) note(file.path)
  for (const folder of listing.folders) {
    note(folder)
    if (!children.has(`${folder}/`)) children.set(`${folder}/`, new Set())
  }
  return {
    hasFile: (path) => files.has(path),
    listNames: (folder) => [...(children.get(folder) ?? [])].toSorted(compareUtf8),
    isFolder: (path) => children.has(`${path}/`),
  }
}

/** A folder on disk as a tree. Links are not followed, so nothing outside `dir` is read. Throws FETCH_*. */
export const viewOfFolder = (dir: string, disk: Disk): FolderView => {
  const kind = (path: string): 'folder' | 'other' | 'absent' => {
    try {
      return disk.lstatSync(join(dir, path)).isDirectory() ? 'folder' : 'other'
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return 'absent'
      throw toReadError(error, join(dir, path))
    }
  }
  const isFolder = (path: string): boolean => {
    if (path === '') return true
    return isFolder(parentFolder(path)) && kind(path) === 'folder'
  }

  return {
    hasFile: (path) => isFolder(parentFolder(path)) && kind(path) === 'other',
    listNames(folder) {
      if (!isFolder(folder.replace(/\/$/, ''))) return []
      try {
        return disk
          .readdirSync(join(dir, folder))
          .filter((name) => !isExcludedName(name))
          .toSorted(compareUtf8)
      } catch (error) {
        throw toReadError(error, join(dir, folder))
      }
    },
    isFolder,
  }
}
