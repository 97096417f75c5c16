import type { Disk } from '../../store/disk.ts'
import { removeEmptyFolders, removeForGood } from '../../store/folders.ts'
import type { Change, Journal, Json } from '../../store/journal-entry.ts'
import { isList, memberAt } from '../../store/json-text.ts'
import { isWholePath } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { removeTree } from '../../store/remove-tree.ts'
import { removeFile } from '../../store/replace.ts'
import { takeBackGitignore, tidy, tidyBare } from './ground.ts'
import { trashOf, type Scene } from './scene.ts'
import type { Step } from './step.ts'

/**
 * After the commit: folders that were made for files of hosts go when they are empty; only now, because a folder that had
 * to come back would come back with another mode. Then the journal goes, and then what was replaced. In this order, because
 * a journal whose trash is gone could no longer be undone by whoever finds the ledger changed back, by git for instance.
 * @throws STATE_*
 */
export const finish = (scene: Scene, { changes }: Journal): void => {
  const { disk } = scene.context
  const { places } = scene
  removeForGood(disk, changes.flatMap(foldersLeft).toSorted())
  tidy(disk, places)
  if (changes.some((change) => change.kind === 'swap' && change.from === null)) tidyBare(disk, places)
  removeJournal(disk, places)
  removeTree(disk, trashOf(scene))
  tidy(disk, places)
}

/**
 * Takes an operation back that was not committed: last change first, each as far as it was done. A step that cannot be
 * taken back now does not keep the others, and then the journal stays. Only the last step does: by it the next process
 * judges whether there was a commit, and nothing behind a commit may be taken back.
 * @throws STATE_*, HOST_* of the first such step
 */
export const undoAll = (scene: Scene, journal: Journal, steps: readonly Step[]): void => {
  const { disk } = scene.context
  const { places } = scene
  const faults: unknown[] = []
  for (const step of [...steps].reverse()) {
    try {
      step.dropTemporaries()
      step.undo()
    } catch (error) {
      if (step === steps.at(-1)) throw error
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  takeBackGitignore(disk, places, journal)
  tidy(disk, places)
  // Gone for good before the staging folder goes: what is staged tells the journal how far the operation came.
  removeJournal(disk, places)
  removeTree(disk, trashOf(scene))
  tidy(disk, places)
  removeEmptyFolders(disk, journal.made ?? [])
}

/** Folders that `hosts.json` had as made for a file, and has no longer. */
export const foldersLeft = (change: Change): readonly string[] => {
  if (change.kind !== 'record' || change.store !== 'hosts') return []
  const still = foldersIn(change.after)
  return foldersIn(change.before).filter((folder) => !still.includes(folder))
}

const foldersIn = (hostFile: Json): readonly string[] => {
  const folders = memberAt(hostFile, ['madeFolders'])
  return isList(folders) ? folders.filter((path) => typeof path === 'string').filter(isWholePath) : []
}

const removeJournal = (disk: Disk, places: ScopePlaces): void => removeFile(disk, places.journal, undefined)
