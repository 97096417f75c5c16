import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Disk } from '../../store/disk.ts'
import { isThere } from '../../store/is-there.ts'
import { isOperationName } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { claimsOf, readClaims } from '../transaction/claim.ts'

/**
 * Staging and trash folders that no running operation claims and no journal speaks of. Their names are such as only this
 * program gives.
 */
export const leftoversOf = (context: Context, places: ScopePlaces): readonly string[] => {
  const { disk, identity, now } = context
  if (isThere(disk, places.journal)) return []
  const claims = readClaims(disk, claimsOf(places.private), identity, now())
  const running = new Set(claims.filter(({ abandoned }) => !abandoned).map(({ operation }) => operation))
  return [places.staging, places.trash].flatMap((folder) =>
    foldersIn(disk, folder)
      .filter((name) => isOperationName(name) && !running.has(name))
      .map((name) => join(folder, name)),
  )
}

const foldersIn = (disk: Disk, folder: string): readonly string[] =>
  isThere(disk, folder) && disk.lstatSync(folder).isDirectory() ? disk.readdirSync(folder) : []
