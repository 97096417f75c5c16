import { join } from 'node:path'
import type { Context } from '../context.ts'
import { removeEmptyFolders } from '../store/folders.ts'
import type { ScopePlaces } from '../store/places.ts'
import { removeTree } from '../store/remove-tree.ts'
import { dropTemporary } from '../store/replace.ts'
import { claimsOf, dropClaim, readClaims } from './claim.ts'
import { refuseLinkedFolders } from './confined.ts'

/** Folders in which operations leave things, and where it is said which process each belongs to. */
export interface Sweepable {
  readonly staging: string
  readonly trash: string | null
  readonly claims: string
}

/**
 * Takes away what dead processes left in a scope: staging and trash folders and temporaries. Only for the scope's lock
 * holder. What a journal still speaks of is left.
 * @returns the names of the operations swept
 * @throws STATE_*
 */
export const sweep = (context: Context, places: ScopePlaces, journaled: string | null): string[] => {
  const claims = claimsOf(places.private)
  refuseLinkedFolders(context.disk, places)
  return sweepFolder(
    context,
    { staging: places.staging, trash: places.trash, claims },
    { journal: places.journal, journaled },
  )
}

interface Journaled {
  readonly journal: string
  readonly journaled: string | null
}

export const sweepFolder = (
  context: Context,
  { staging, trash, claims }: Sweepable,
  journal: Journaled | null,
): string[] => {
  const { disk } = context
  const dead = readClaims(disk, claims, context.identity, context.now()).filter(
    ({ abandoned, operation }) => abandoned && operation !== journal?.journaled,
  )
  for (const { operation, file, made } of dead) {
    removeTree(disk, join(staging, operation))
    if (trash !== null) removeTree(disk, join(trash, operation))
    if (journal !== null) dropTemporary(disk, journal.journal, operation)
    dropClaim(disk, file)
    removeEmptyFolders(disk, [...made, claims, staging, ...(trash === null ? [] : [trash])])
  }
  return dead.map(({ operation }) => operation)
}
