import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { VERSION } from '../../version.ts'
import type { LoadedRegistry } from '../loaded-registry.ts'
import { lstatOrErrno } from './file-stamp.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { readLoadedRegistry } from './snapshot-registry.ts'

/** Key of the snapshot that the build writes. */
export const BUILT_IN_KEY = `built-in ${VERSION}`
export const BUILT_IN_FILE = 'first-party.snapshot'

/**
 * The registry without any overlay, composed when the program was built; null where the build wrote none. The file is part
 * of the program, so it is trusted like the program.
 */
export const readBuiltInRegistry = (): LoadedRegistry | null => {
  for (const path of distFilePaths(BUILT_IN_FILE)) {
    const file = SnapshotFile.open(path, BUILT_IN_KEY, () => true)
    if (file !== null) return readLoadedRegistry(file)
  }
  return null
}

/** Where a file of the build may be: beside the bundled file, above a chunk of it, or in `dist` for the sources. */
export const distFilePaths = (name: string): readonly string[] => {
  const folder = dirname(fileURLToPath(import.meta.url))
  return [name, `../${name}`, `../../../dist/${name}`].map((path) => join(folder, path))
}

/** Whether a scope has nothing that could change the registry: no bundle, ledger, switch, journal or link. */
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
