import { dirname, join } from 'node:path'
import { diskError, isErrno, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { pathExists, syncPath } from './disk.ts'

/**
 * Creates a folder and its missing parents, less the umask.
 * @returns those that were created, outermost first, so that the caller can remove them again
 * @throws STATE_*
 */
export const ensureFolder = (disk: Disk, folder: string, mode = 0o777): string[] => {
  const made = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const path of missingFolders(disk, folder)) if (makeFolder(disk, path, mode)) made.add(path)
      return [...made].sort()
    } catch (error) {
      // Another process may remove an empty folder between two of our steps, or just after it blocked us.
      if (isErrno(error, 'ENOENT', 'EEXIST') && attempt < MAX_ATTEMPTS) continue
      removeEmptyFolders(disk, [...made].sort())
      throw diskError(error, 'create the folder', folder)
    }
  }
}

const MAX_ATTEMPTS = 100

/**
 * Works in a folder. Creates it first, and again where another process removes it while it is empty. @throws STATE_*
 */
export const withFolder = <T>(disk: Disk, folder: string, work: () => T, mode = 0o777): T => {
  for (let attempt = 1; ; attempt += 1) {
    ensureFolder(disk, folder, mode)
    try {
      return work()
    } catch (error) {
      if (!isErrno(error, 'ENOENT') || attempt === MAX_ATTEMPTS) throw diskError(error, 'write into', folder)
    }
  }
}

/** The folders that {@link ensureFolder} would create, outermost first. @throws STATE_* */
export const missingFolders = (disk: Disk, folder: string): string[] => {
  const missing: string[] = []
  for (let at = folder; !isFolder(disk, at) && at !== dirname(at); at = dirname(at)) missing.unshift(at)
  return missing
}

/**
 * Removes the empty ones of some folders, innermost first. Never throws.
 * @param folders outermost first
 * @returns those that were removed
 */
export const removeEmptyFolders = (disk: Disk, folders: readonly string[]): string[] =>
  [...folders].reverse().filter((folder) => {
    try {
      disk.rmdirSync(folder)
      return true
    } catch {
      return false
    }
  })

/** The same, and durable across a power cut. @throws STATE_* */
export const removeEmptyFoldersDurably = (disk: Disk, folders: readonly string[]): void => {
  const parents = new Set(removeEmptyFolders(disk, folders).map((folder) => dirname(folder)))
  for (const parent of parents) if (pathExists(disk, parent)) syncPath(disk, parent)
}

/** False when another process created it at the same moment. */
const makeFolder = (disk: Disk, folder: string, mode: number): boolean => {
  try {
    disk.mkdirSync(folder, mode)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST') && isFolder(disk, folder)) return false
    throw error
  }
}

const isFolder = (disk: Disk, path: string): boolean => {
  try {
    return disk.statSync(path).isDirectory()
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false
    throw diskError(error, 'inspect', path)
  }
}

/** Names in a folder; none where the path does not exist or is a link. @throws STATE_* */
export const listFolder = (disk: Disk, folder: string): readonly string[] =>
  withDiskErrors('list', folder, () =>
    pathExists(disk, folder) && disk.lstatSync(folder).isDirectory() ? disk.readdirSync(folder) : [],
  )

/**
 * Deletes a file or a folder with its content. Links are deleted and not followed. A missing path is no error.
 * @throws STATE_*
 */
export const removeTree = (disk: Disk, path: string): void => {
  try {
    if (!disk.lstatSync(path).isDirectory()) return disk.unlinkSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return
    withDiskErrors('delete', path, () => {
      throw error
    })
  }
  for (const name of withDiskErrors('list', path, () => disk.readdirSync(path))) removeTree(disk, join(path, name))
  withDiskErrors('delete', path, () => disk.rmdirSync(path))
}
