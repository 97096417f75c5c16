import { join } from 'node:path'
import type { Context } from '../context.ts'
import { removeEmptyFolders, removeTree } from '../platform/folders.ts'
import { isBesideCache, isCacheFolderSafe } from '../platform/private-folder.ts'
import { removeTemporary } from '../platform/replace-file.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readJournal } from './journal.ts'
import { ownerFilesFolder, readOwnerFiles, removeOwnerFile } from './owner-file.ts'
import { refuseLinkedFolders, scopeFoldersOf } from './scope-folders.ts'

/** Where operations leave files, and where the owner files are. */
export interface CleanUpFolders {
  readonly staging: string
  readonly trash: string | null
  readonly journal: string | null
  readonly ownerFiles: string
  /** Folders that an operation may have created before it recorded them; they are removed when empty. */
  readonly scopeFolders: readonly string[]
  /** The folder all of it is in, where it is the cache: owner files there decide about no folder elsewhere. */
  readonly cache?: string
}

export const cleanUpFoldersOf = (paths: ScopePaths): CleanUpFolders => ({
  staging: paths.staging,
  trash: paths.trash,
  journal: paths.journal,
  ownerFiles: ownerFilesFolder(paths.private),
  scopeFolders: scopeFoldersOf(paths),
})

/**
 * Removes what dead processes left in a scope: staging folders, trash folders, temporary files. Only for the holder of the
 * lock. What a journal names is left.
 * @param concluded an operation that has just been finished or undone, so it counts as dead whoever owns it
 * @returns the names of the operations
 * @throws STATE_*
 */
export const cleanUpScope = (context: Context, paths: ScopePaths, concluded: string | null): string[] => {
  refuseLinkedFolders(context.disk, paths)
  return cleanUpFolders(context, cleanUpFoldersOf(paths), concluded)
}

/** The same for the cache, which has no lock. */
export const cleanUpFolders = (context: Context, base: CleanUpFolders, concluded: string | null = null): string[] => {
  const { disk, identity, now } = context
  const { cache } = base
  if (cache !== undefined && ![base.staging, base.ownerFiles].every((each) => isCacheFolderSafe(disk, cache, each)))
    return []
  const mayRemove = (folder: string): boolean => cache === undefined || isBesideCache(cache, folder)
  const dead = readOwnerFiles(disk, base.ownerFiles, identity, now()).filter(
    ({ abandoned, operation }) => abandoned || operation === concluded,
  )
  const cleaned = dead
    .filter(({ operation, file, createdFolders }) => {
      if (!cleanUpOperation(context, base, operation)) return false
      removeEmptyFolders(disk, base.scopeFolders)
      removeOwnerFile(disk, file, [...createdFolders.filter(mayRemove), base.ownerFiles])
      return true
    })
    .map(({ operation }) => operation)
  // A process may have died after it created the folder and before its file was in it.
  removeEmptyFolders(disk, [base.ownerFiles])
  return cleaned
}

/** Removes what one operation left. False when a journal still names it, or when not everything could be removed. */
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

/** A journal needs the staging folder to see how far its operation got, and the trash to undo it. */
const isJournaled = (disk: Context['disk'], journal: string, operation: string): boolean => {
  const found = readJournal(disk, { journal })
  return found.state === 'unreadable' || (found.state === 'ok' && found.value.operation === operation)
}
