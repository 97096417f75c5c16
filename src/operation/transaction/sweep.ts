import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { removeEmptyFolders } from '../../store/folders.ts'
import { readJournal } from '../../store/journal.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { removeTree } from '../../store/remove-tree.ts'
import { dropTemporary } from '../../store/temporary.ts'
import { claimsOf, dropClaim, readClaims } from './claim.ts'
import { refuseLinkedFolders } from './confined.ts'
import { skeletonOf } from './ground.ts'

/** Where operations leave things, and where it is said which process each belongs to. */
export interface Sweepable {
  readonly staging: string
  readonly trash: string | null
  readonly journal: string | null
  readonly claims: string
  /** Folders that an operation may have made before it could say so; they go when they are empty. */
  readonly skeleton: readonly string[]
}

export const sweepableOf = (places: ScopePlaces): Sweepable => ({
  staging: places.staging,
  trash: places.trash,
  journal: places.journal,
  claims: claimsOf(places.private),
  skeleton: skeletonOf(places),
})

/**
 * Takes away what dead processes left in a scope: staging and trash folders and temporaries. Only for the scope's lock
 * holder. What a journal still speaks of is left.
 * @param concluded an operation that has just been finished or undone, so that nothing runs it, whoever claims it
 * @returns the names of the operations swept
 * @throws STATE_*
 */
export const sweep = (context: Context, places: ScopePlaces, concluded: string | null): string[] => {
  refuseLinkedFolders(context.disk, places)
  return sweepFolders(context, sweepableOf(places), concluded)
}

/** The same where there is no scope, so nothing to be locked. */
export const sweepFolders = (context: Context, base: Sweepable, concluded: string | null = null): string[] => {
  const { disk, identity, now } = context
  const dead = readClaims(disk, base.claims, identity, now()).filter(
    ({ abandoned, operation }) => abandoned || operation === concluded,
  )
  const swept = dead
    .filter(({ operation, file, made }) => {
      if (!clear(context, base, operation)) return false
      removeEmptyFolders(disk, base.skeleton)
      dropClaim(disk, file, [...made, base.claims])
      return true
    })
    .map(({ operation }) => operation)
  // A process may have died between making its folder and its first file in it.
  removeEmptyFolders(disk, [base.claims])
  return swept
}

/** Takes away what one operation left. False, and nothing or not all is done, where that cannot be or may not be yet. */
export const clear = ({ disk }: Context, { staging, trash, journal }: Sweepable, operation: string): boolean => {
  try {
    if (journal !== null && isJournaled(disk, journal, operation)) return false
    removeTree(disk, join(staging, operation))
    if (trash !== null) removeTree(disk, join(trash, operation))
    if (journal !== null) dropTemporary(disk, journal, operation)
    removeEmptyFolders(disk, [staging, ...(trash === null ? [] : [trash])])
    return true
  } catch {
    return false
  }
}

/** What is staged tells a journal how far its operation came, and what is in the trash may have to come back. */
const isJournaled = (disk: Context['disk'], journal: string, operation: string): boolean => {
  const found = readJournal(disk, { journal })
  return found.state === 'unreadable' || (found.state === 'ok' && found.value.operation === operation)
}
