import { posix } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'

/**
 * Files that lie where others are to be put, and are not the same: under the same path, as a file where a folder has to
 * be, or in a folder where a file has to be.
 */
export const conflictingFiles = (files: readonly BundleFile[], fresh: readonly BundleFile[]): readonly BundleFile[] => {
  const taken = new Map(fresh.map((file) => [file.path, file]))
  const folders = new Set(fresh.flatMap(({ path }) => foldersAbove(path)))
  return files.filter((file) => {
    const other = taken.get(file.path)
    if (other !== undefined) return other.sha512 !== file.sha512
    return folders.has(file.path) || foldersAbove(file.path).some((folder) => taken.has(folder))
  })
}

const foldersAbove = (path: string): string[] => {
  const folder = posix.dirname(path)
  return folder === '.' ? [] : [...foldersAbove(folder), folder]
}
