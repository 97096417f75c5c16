import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { removeEmptyFolders } from '../../store/folders.ts'
import type { Journal } from '../../store/journal-entry.ts'
import { readJournal } from '../../store/journal.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { movedPath } from '../moved/belongings.ts'
import { movedJournal } from '../moved/moved-journal.ts'
import { finish, foldersLeft, undoAll } from './conclude.ts'
import { refuseLinkedFolders } from './confined.ts'
import { foreignJournal } from './foreign-journal.ts'
import { sceneOf } from './scene.ts'
import { stepsOf } from './steps.ts'
import { sweep } from './sweep.ts'

/** What became of an operation that was interrupted, in one line. */
export interface Recovery {
  /**
   * `finished`: it had been committed; `undone`: it had not; `swept`: it had not begun to change anything; `left`: its
   * journal cannot be used, so it stays, and changes are refused.
   */
  readonly outcome: 'finished' | 'undone' | 'swept' | 'left'
  readonly diagnostic: Diagnostic
}

/**
 * Finishes or undoes what an earlier process left, and sweeps after dead ones. The lock of the scope is held. Null when
 * there was nothing. Everything is judged by what the disk holds now, and nothing that is replayed or deleted by is read
 * from a repository (security page, "Operations").
 * @throws STATE_INTERRUPTED when it cannot be finished or undone now; then the journal stays
 */
export const recover = async (context: Context, places: ScopePlaces): Promise<Recovery | null> => {
  const moved = movedJournal(context, places)
  if (moved !== null) {
    const recovery = recoverBy(context, moved.places, moved.journal)
    const left = moved.journal.changes.flatMap(foldersLeft)
    removeEmptyFolders(context.disk, left.map((folder) => movedPath(folder, moved.from, places.realRoot)).toSorted())
    removeEmptyFolders(context.disk, [moved.places.private])
    return recovery
  }
  const found = readJournal(context.disk, places)
  if (found.state === 'unreadable') return { outcome: 'left', diagnostic: found.diagnostic }
  if (found.state === 'absent') return sweepOnly(context, places)
  const foreign = foreignJournal(places, found.value)
  if (foreign !== null) return { outcome: 'left', diagnostic: foreign }
  return recoverBy(context, places, found.value)
}

const recoverBy = (context: Context, places: ScopePlaces, journal: Journal): Recovery => {
  const outcome = conclude(context, places, journal)
  sweep(context, places, null)
  const text =
    outcome === 'finished' ? 'had been interrupted and is complete now' : 'had been interrupted and was undone'
  return {
    outcome,
    diagnostic: diagnostic('info', 'STATE_INTERRUPTED', `${quote(journal.command)} ${text}`, { scope: places.scope }),
  }
}

const conclude = (context: Context, places: ScopePlaces, journal: Journal): 'finished' | 'undone' => {
  const scene = sceneOf(context, places, journal)
  const steps = stepsOf(scene, journal)
  try {
    refuseLinkedFolders(context.disk, places)
    if (steps.at(-1)?.isDone() !== true) {
      undoAll(scene, journal, steps)
      return 'undone'
    }
    for (const step of steps) step.dropTemporaries()
    finish(scene, journal)
    return 'finished'
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    throw new GsdError(
      'STATE_INTERRUPTED',
      `an interrupted ${quote(journal.command)} cannot be undone yet: ${error.message}`,
      {
        cause: error,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        details: { journal: places.journal, code: error.code },
      },
    )
  }
}

const sweepOnly = (context: Context, places: ScopePlaces): Recovery | null => {
  const swept = sweep(context, places, null)
  if (swept.length === 0) return null
  const text = 'what an interrupted operation had unpacked was taken away; it had changed nothing'
  return { outcome: 'swept', diagnostic: diagnostic('info', 'STATE_INTERRUPTED', text, { scope: places.scope }) }
}
