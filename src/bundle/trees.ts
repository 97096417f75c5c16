import { join } from 'node:path'
import { isErrno } from '../store/disk-error.ts'
import type { Disk } from '../store/disk.ts'
import { byBytes } from './byte-order.ts'
import { readFault } from './faults.ts'
import { isLeftOut } from './left-out.ts'
import type { Listing } from './listing.ts'
import type { Tree } from './locate.ts'
import { folderOf } from './path-rules.ts'

/** An archive that was listed, as a tree to find a bundle in. */
export const treeOfListing = (listing: Listing): Tree => {
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
    has: (path) => files.has(path),
    names: (folder) => [...(children.get(folder) ?? [])].toSorted(byBytes),
    isFolder: (path) => children.has(`${path}/`),
  }
}

/** A folder on disk as a tree. Links are never followed, so nothing outside of `dir` is looked at. Throws FETCH_*. */
export const treeOfFolder = (dir: string, disk: Disk): Tree => {
  const kind = (path: string): 'folder' | 'other' | 'absent' => {
    try {
      return disk.lstatSync(join(dir, path)).isDirectory() ? 'folder' : 'other'
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return 'absent'
      throw readFault(error, join(dir, path))
    }
  }
  const isFolder = (path: string): boolean => {
    if (path === '') return true
    return isFolder(folderOf(path)) && kind(path) === 'folder'
  }

  return {
    has: (path) => isFolder(folderOf(path)) && kind(path) === 'other',
    names(folder) {
      if (!isFolder(folder.replace(/\/$/, ''))) return []
      try {
        return disk
          .readdirSync(join(dir, folder))
          .filter((name) => !isLeftOut(name))
          .toSorted(byBytes)
      } catch (error) {
        throw readFault(error, join(dir, folder))
      }
    },
    isFolder,
  }
}
