import { readdirSync } from 'node:fs'
import { lazy } from '../../registry/views.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { VERSION } from '../../version.ts'
import { distFilePaths } from '../dist-files.ts'
import type { LoadedRegistry } from '../loaded-registry.ts'
import { lstatOrErrno } from './file-stamp.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { readLoadedRegistry } from './snapshot-registry.ts'

/** Key of the snapshot that the build makes. */
export const BUILT_IN_KEY = `built-in ${VERSION}`
export const BUILT_IN_FILE = 'first-party.snapshot'

/**
 * The world in which nothing is installed, composed when the program was built; null where the build left none. The file
 * is part of the program, so it is believed as the program is.
 */
export const builtInRegistry = lazy((): LoadedRegistry | null => {
  for (const path of distFilePaths(BUILT_IN_FILE)) {
    const file = SnapshotFile.open(path, BUILT_IN_KEY, () => true)
    if (file !== null) return readLoadedRegistry(file)
  }
  return null
})

/** Whether a scope holds nothing that could change the answer: no bundle, no ledger, no switch, no journal, no link. */
export const isEmptyScope = (paths: ScopePaths): boolean => {
  const stat = lstatOrErrno(paths.gsd)
  if (stat !== 'ENOENT' && (typeof stat === 'string' || !stat.isDirectory())) return false
  if (lstatOrErrno(paths.journal) !== 'ENOENT') return false
  if (stat === 'ENOENT') return true
  return (
    [paths.ledger, paths.state].every((file) => lstatOrErrno(file) === 'ENOENT') && isEmptyFolder(paths.capabilities)
  )
}

const isEmptyFolder = (folder: string): boolean => {
  const stat = lstatOrErrno(folder)
  if (stat === 'ENOENT') return true
  if (typeof stat === 'string' || !stat.isDirectory()) return false
  try {
    return readdirSync(folder).length === 0
  } catch {
    return false
  }
}
