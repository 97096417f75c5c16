import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { removeEmptyFolders } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import type { Journal } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { buildSteps } from './build-steps.ts'
import { cleanUpScope } from './clean-up.ts'
import { finishOperation, releasedFolders, undoOperation } from './finish-or-undo.ts'
import { foreignJournal } from './inspect-journal.ts'
import { readJournal } from './journal.ts'
import { operationContextOf } from './operation-context.ts'
import { refuseLinkedFolders } from './refuse-linked-folders.ts'
import { findRelocatedJournal } from './relocation/relocated-journal.ts'
import { relocatedPath } from './relocation/relocated-records.ts'

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
export const recoverInterrupted = async (context: Context, paths: ScopePaths): Promise<Recovery | null> => {
  const moved = findRelocatedJournal(context, paths)
  if (moved !== null) {
    const recovery = recoverWithJournal(context, moved.paths, moved.journal)
    const left = moved.journal.changes.flatMap(releasedFolders)
    removeEmptyFolders(context.disk, left.map((folder) => relocatedPath(folder, moved.from, paths.realRoot)).toSorted())
    removeEmptyFolders(context.disk, [moved.paths.private])
    return recovery
  }
  const found = readJournal(context.disk, paths)
  if (found.state === 'unreadable') return { outcome: 'left', diagnostic: found.diagnostic }
  if (found.state === 'absent') return cleanUpOnly(context, paths)
  const foreign = foreignJournal(paths, found.value)
  if (foreign !== null) return { outcome: 'left', diagnostic: foreign }
  return recoverWithJournal(context, paths, found.value)
}

const recoverWithJournal = (context: Context, paths: ScopePaths, journal: Journal): Recovery => {
  const outcome = finishOrUndo(context, paths, journal)
  cleanUpScope(context, paths, null)
  const text =
    outcome === 'finished' ? 'had been interrupted and is complete now' : 'had been interrupted and was undone'
  return {
    outcome,
    diagnostic: diagnostic('info', 'STATE_INTERRUPTED', `${quote(journal.command)} ${text}`, { scope: paths.scope }),
  }
}

const finishOrUndo = (context: Context, paths: ScopePaths, journal: Journal): 'finished' | 'undone' => {
  const operationContext = operationContextOf(context, paths, journal)
  const steps = buildSteps(operationContext, journal)
  try {
    refuseLinkedFolders(context.disk, paths)
    if (steps.at(-1)?.isDone() !== true) {
      undoOperation(operationContext, journal, steps)
      return 'undone'
    }
    for (const step of steps) step.removeTemporaries()
    finishOperation(operationContext, journal)
    return 'finished'
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    throw new GsdError(
      'STATE_INTERRUPTED',
      `an interrupted ${quote(journal.command)} cannot be undone yet: ${error.message}`,
      {
        cause: error,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        details: { journal: paths.journal, code: error.code },
      },
    )
  }
}

const cleanUpOnly = (context: Context, paths: ScopePaths): Recovery | null => {
  const swept = cleanUpScope(context, paths, null)
  if (swept.length === 0) return null
  const text = 'what an interrupted operation had unpacked was taken away; it had changed nothing'
  return { outcome: 'swept', diagnostic: diagnostic('info', 'STATE_INTERRUPTED', text, { scope: paths.scope }) }
}
