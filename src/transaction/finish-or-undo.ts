import type { Disk } from '../platform/disk.ts'
import { removeEmptyFolders, removeEmptyFoldersDurably } from '../platform/folders.ts'
import { removeTree } from '../platform/remove-tree.ts'
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
 * After the commit: folders that were made for files of hosts go when they are empty; only now, because a folder that had
 * to come back would come back with another mode. Then the journal goes, and then what was replaced. In this order, because
 * a journal whose trash is gone could no longer be undone by whoever finds the ledger changed back, by git for instance.
 * @throws STATE_*
 */
export const finishOperation = (operationContext: OperationContext, { changes }: Journal): void => {
  const { disk } = operationContext.context
  const { paths } = operationContext
  removeEmptyFoldersDurably(disk, changes.flatMap(releasedFolders).toSorted())
  removeEmptyScopeFolders(disk, paths)
  if (changes.some((change) => change.kind === 'swap' && change.from === null)) removeUnusedGitignore(disk, paths)
  removeJournal(disk, paths)
  removeTree(disk, trashOf(operationContext))
  removeEmptyScopeFolders(disk, paths)
}

/**
 * Takes an operation back that was not committed: last change first, each as far as it was done. A step that cannot be
 * taken back now does not keep the others, and then the journal stays. Only the last step does: by it the next process
 * judges whether there was a commit, and nothing behind a commit may be taken back.
 * @throws STATE_*, HOST_* of the first such step
 */
export const undoOperation = (operationContext: OperationContext, journal: Journal, steps: readonly Step[]): void => {
  const { disk } = operationContext.context
  const { paths } = operationContext
  const faults: unknown[] = []
  for (const step of [...steps].reverse()) {
    try {
      step.removeTemporaries()
      step.undo()
    } catch (error) {
      if (step === steps.at(-1)) throw error
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  undoGitignore(disk, paths, journal)
  removeEmptyScopeFolders(disk, paths)
  // Gone for good before the staging folder goes: what is staged tells the journal how far the operation came.
  removeJournal(disk, paths)
  removeTree(disk, trashOf(operationContext))
  removeEmptyScopeFolders(disk, paths)
  removeEmptyFolders(disk, journal.made ?? [])
}

/** Folders that `hosts.json` had as made for a file, and has no longer. */
export const releasedFolders = (change: Change): readonly string[] => {
  if (change.kind !== 'record' || change.store !== 'hosts') return []
  const still = createdFoldersIn(change.after)
  return createdFoldersIn(change.before).filter((folder) => !still.includes(folder))
}

const createdFoldersIn = (hostFile: Json): readonly string[] => {
  const folders = memberAt(hostFile, ['madeFolders'])
  return isList(folders) ? folders.filter((path) => typeof path === 'string').filter(isNormalizedAbsolutePath) : []
}

const removeJournal = (disk: Disk, paths: ScopePaths): void => removeFile(disk, paths.journal, undefined)
