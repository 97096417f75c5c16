import type { Disk } from '../store/disk.ts'
import { removeEmptyFolders } from '../store/folders.ts'
import type { Journal } from '../store/journal-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { removeTree } from '../store/remove-tree.ts'
import { removeFile } from '../store/replace.ts'
import { takeBackGitignore, tidy, tidyBare } from './ground.ts'
import { trashOf, type Scene } from './scene.ts'
import type { Step } from './step.ts'

/**
 * After the commit: the journal goes, and then what was replaced. In this order, because a journal whose trash is gone
 * could no longer be undone by whoever finds the ledger changed back, by git for instance.
 * @throws STATE_*
 */
export const finish = (scene: Scene, { changes }: Journal): void => {
  const { disk } = scene.context
  const { places } = scene
  tidy(disk, places)
  if (changes.some((change) => change.kind === 'swap' && change.from === null)) tidyBare(disk, places)
  removeJournal(disk, places)
  removeTree(disk, trashOf(scene))
  tidy(disk, places)
}

/**
 * Takes an operation back that was not committed: last change first, each as far as it was done. A step that cannot be
 * taken back now does not keep the others; then the journal stays.
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
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  takeBackGitignore(disk, places, journal)
  // Gone for good before the staging folder goes: what is staged tells the journal how far the operation came.
  removeJournal(disk, places)
  removeTree(disk, trashOf(scene))
  tidy(disk, places)
  removeEmptyFolders(disk, journal.made ?? [])
}

const removeJournal = (disk: Disk, places: ScopePlaces): void => removeFile(disk, places.journal, undefined)
