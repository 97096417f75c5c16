import { readdirSync } from 'node:fs'
import { lazy } from '../registry/views.ts'
import type { ScopePlaces } from '../store/places.ts'
import { VERSION } from '../version.ts'
import { builtFiles } from './built-files.ts'
import { lookAt } from './look.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { worldIn } from './snapshot-world.ts'
import type { World } from './world.ts'

/** Key of the snapshot that the build makes. */
export const BUILT_IN_KEY = `built-in ${VERSION}`
export const BUILT_IN_FILE = 'first-party.snapshot'

/**
 * The world in which nothing is installed, composed when the program was built; null where the build left none. The file
 * is part of the program, so it is believed as the program is.
 */
export const builtInWorld = lazy((): World | null => {
  for (const path of builtFiles(BUILT_IN_FILE)) {
    const file = SnapshotFile.open(path, BUILT_IN_KEY, () => true)
    if (file !== null) return worldIn(file)
  }
  return null
})

/** Whether a scope holds nothing that could change the answer: no bundle, no ledger, no switch, no journal, no link. */
export const isEmpty = (places: ScopePlaces): boolean => {
  const look = lookAt(places.gsd)
  if (look !== 'ENOENT' && (typeof look === 'string' || !look.isDirectory())) return false
  if (lookAt(places.journal) !== 'ENOENT') return false
  if (look === 'ENOENT') return true
  return [places.ledger, places.state].every((file) => lookAt(file) === 'ENOENT') && isEmptyFolder(places.capabilities)
}

const isEmptyFolder = (folder: string): boolean => {
  const look = lookAt(folder)
  if (look === 'ENOENT') return true
  if (typeof look === 'string' || !look.isDirectory()) return false
  try {
    return readdirSync(folder).length === 0
  } catch {
    return false
  }
}
