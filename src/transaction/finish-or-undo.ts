import { findLinkOut } from '../host/edit/project-links.ts'
import type { Disk } from '../platform/disk.ts'
import { removeEmptyFolders, removeEmptyFoldersDurably, removeTree } from '../platform/folders.ts'
import { removeFile } from '../platform/replace-file.ts'
import type { Change, Journal } from '../state/change.ts'
import type { Json } from '../state/json-text.ts'
import { isList, memberAt } from '../state/json-text.ts'
import { isNormalizedAbsolutePath } from '../state/name-rules.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { type OperationContext, trashOf } from './operation-context.ts'
import { removeEmptyScopeFolders, removeUnusedGitignore, undoGitignore } from './scope-folders.ts'
import type { Step } from './step.ts'

/**
 * Cleans up after the commit. Empty folders that were created for host files are removed only now: an undo would create
 * them again with another mode. The journal is removed before the trash: if git restores an old ledger in between, the
 * operation counts as not committed, and undoing it needs the trash.
 * @throws STATE_*
 */
export const finishOperation = (operationContext: OperationContext, { changes }: Journal): void => {
  const { disk } = operationContext.context
  const { paths } = operationContext
  const released = changes.flatMap(releasedFolders).filter((folder) => findLinkOut(disk, paths, folder) === null)
  removeEmptyFoldersDurably(disk, released.toSorted())
  removeEmptyScopeFolders(disk, paths)
  if (changes.some((change) => change.kind === 'swap' && change.from === null)) removeUnusedGitignore(disk, paths)
  removeJournal(disk, paths)
  removeTree(disk, trashOf(operationContext))
  removeEmptyScopeFolders(disk, paths)
}

/**
 * Undoes an operation that was not committed, last step first, each as far as it was done. If a step cannot be undone now,
 * the others still are, and the journal stays. Only a failure of the last step, the commit, stops everything: the next
 * process decides by it whether the operation was committed.
 * @throws STATE_*, HOST_* of the first step that failed
 */
export const undoOperation = (operationContext: OperationContext, journal: Journal, steps: readonly Step[]): void => {
  const { disk } = operationContext.context
  const { paths } = operationContext
  const errors: unknown[] = []
  for (const step of [...steps].reverse()) {
    try {
      step.removeTemporaries()
      step.undo()
    } catch (error) {
      if (step === steps.at(-1)) throw error
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  undoGitignore(disk, paths, journal)
  removeEmptyScopeFolders(disk, paths)
  // Before the staging folder is removed: with a journal, its content shows how far the operation got.
  removeJournal(disk, paths)
  removeTree(disk, trashOf(operationContext))
  removeEmptyScopeFolders(disk, paths)
  removeEmptyFolders(disk, journal.made ?? [])
}

/** Folders that were created for a host file, according to `hosts.json` before the change but not after it. */
export const releasedFolders = (change: Change): readonly string[] => {
  if (change.kind !== 'record' || change.store !== 'hosts') return []
  const after = createdFoldersIn(change.after)
  return createdFoldersIn(change.before).filter((folder) => !after.includes(folder))
}

const createdFoldersIn = (hostFile: Json): readonly string[] => {
  const folders = memberAt(hostFile, ['madeFolders'])
  return isList(folders) ? folders.filter((path) => typeof path === 'string').filter(isNormalizedAbsolutePath) : []
}

const removeJournal = (disk: Disk, paths: ScopePaths): void => removeFile(disk, paths.journal, undefined)
