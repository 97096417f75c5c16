import { join } from 'node:path'
import type { Context } from '../context.ts'
import { removeEmptyFolders } from '../platform/folders.ts'
import { removeTree } from '../platform/remove-tree.ts'
import { removeTemporary } from '../platform/temporary-file.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readJournal } from './journal.ts'
import { ownerFilesFolder, removeOwnerFile, readOwnerFiles } from './owner-file.ts'
import { refuseLinkedFolders } from './refuse-linked-folders.ts'
import { scopeFoldersOf } from './scope-folders.ts'

/** Where operations leave things, and where it is said which process each belongs to. */
export interface CleanUpFolders {
  readonly staging: string
  readonly trash: string | null
  readonly journal: string | null
  readonly ownerFiles: string
  /** Folders that an operation may have made before it could say so; they go when they are empty. */
  readonly scopeFolders: readonly string[]
}

export const cleanUpFoldersOf = (paths: ScopePaths): CleanUpFolders => ({
  staging: paths.staging,
  trash: paths.trash,
  journal: paths.journal,
  ownerFiles: ownerFilesFolder(paths.private),
  scopeFolders: scopeFoldersOf(paths),
})

/**
 * Takes away what dead processes left in a scope: staging and trash folders and temporaries. Only for the scope's lock
 * holder. What a journal still speaks of is left.
 * @param concluded an operation that has just been finished or undone, so that nothing runs it, whoever claims it
 * @returns the names of the operations swept
 * @throws STATE_*
 */
export const cleanUpScope = (context: Context, paths: ScopePaths, concluded: string | null): string[] => {
  refuseLinkedFolders(context.disk, paths)
  return cleanUpFolders(context, cleanUpFoldersOf(paths), concluded)
}

/** The same where there is no scope, so nothing to be locked. */
export const cleanUpFolders = (context: Context, base: CleanUpFolders, concluded: string | null = null): string[] => {
  const { disk, identity, now } = context
  const dead = readOwnerFiles(disk, base.ownerFiles, identity, now()).filter(
    ({ abandoned, operation }) => abandoned || operation === concluded,
  )
  const swept = dead
    .filter(({ operation, file, createdFolders }) => {
      if (!cleanUpOperation(context, base, operation)) return false
      removeEmptyFolders(disk, base.scopeFolders)
      removeOwnerFile(disk, file, [...createdFolders, base.ownerFiles])
      return true
    })
    .map(({ operation }) => operation)
  // A process may have died between making its folder and its first file in it.
  removeEmptyFolders(disk, [base.ownerFiles])
  return swept
}

/** Takes away what one operation left. False, and nothing or not all is done, where that cannot be or may not be yet. */
export const cleanUpOperation = (
  { disk }: Context,
  { staging, trash, journal }: CleanUpFolders,
  operation: string,
): boolean => {
  try {
    if (journal !== null && isJournaled(disk, journal, operation)) return false
    removeTree(disk, join(staging, operation))
    if (trash !== null) removeTree(disk, join(trash, operation))
    if (journal !== null) removeTemporary(disk, journal, operation)
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
