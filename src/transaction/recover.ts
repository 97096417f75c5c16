import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { removeEmptyFolders } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import type { Journal } from '../state/change.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { unreadableError } from '../state/stores.ts'
import { adoptFormerGrants } from './adopt-grants.ts'
import { buildSteps } from './build-steps.ts'
import { cleanUpFolders, cleanUpScope } from './clean-up.ts'
import { finishOperation, releasedFolders, undoOperation } from './finish-or-undo.ts'
import { foreignJournal } from './inspect-journal.ts'
import { readJournal } from './journal.ts'
import { withLock } from './lock.ts'
import { operationContextOf } from './operation-context.ts'
import { findRelocations, relocatedPath } from './relocation/find-relocations.ts'
import { recordRelocations } from './relocation/record-relocations.ts'
import { findRelocatedJournal } from './relocation/relocated-journal.ts'
import { refuseLinkedFolders } from './scope-folders.ts'
import { cacheCleanUpFolders, unfinishedScopes } from './unfinished-scopes.ts'

/**
 * Before a command reads anything: finishes or undoes interrupted operations in every scope, and records the host entries of
 * a scope that was moved or copied. Never waits: a scope that is locked is left to the process that holds the lock. What
 * fails is reported as a warning.
 */
export const recoverAllScopes = async (context: Context): Promise<void> => {
  cleanUpCache(context)
  const unfinished = unfinishedScopes(context)
  for (const paths of unfinished) await tryRecover(context, paths, 'an interrupted operation could not be recovered')
  for (const paths of scopesOf(context)) {
    const isMoved = !unfinished.includes(paths) && findRelocations(context, paths).length > 0
    if (isMoved) await tryRecover(context, paths, 'the host entries of the moved folder could not be recorded')
  }
}

const tryRecover = async (context: Context, paths: ScopePaths, what: string): Promise<void> => {
  try {
    await withLock(context, paths, () => recoverScope(context, paths), { waitMs: 0 })
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    if (error.code === 'LOCK_HELD') return
    const text = `in the ${paths.scope} scope ${what}: ${error.message}`
    context.report({
      kind: 'warning',
      diagnostic: diagnostic('warning', error.code, text, { file: paths.journal, hint: 'gsd capability doctor' }),
    })
  }
}

/** What cannot be removed from the cache is left for a later command. */
const cleanUpCache = (context: Context): void => {
  try {
    cleanUpFolders(context, cacheCleanUpFolders(context))
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof GsdError)) throw error
  }
}

/** Recovers one scope whose lock is held, and reports in one line what was done. @throws STATE_*, HOST_* */
export const recoverScope = async (context: Context, paths: ScopePaths): Promise<void> => {
  adoptFormerGrants(context)
  const recovery = await recoverInterrupted(context, paths)
  if (recovery?.outcome === 'left') throw unreadableError(recovery.diagnostic)
  if (recovery !== null && recovery.outcome !== 'cleaned')
    context.report({ kind: 'notice', text: recovery.diagnostic.message })
  recordRelocations(context, paths)
}

/** What was done with an interrupted operation. */
export interface Recovery {
  /**
   * `finished`: it was committed; `undone`: it was not; `cleaned`: it had not changed anything yet; `left`: its journal
   * cannot be used, so it stays, and commands that change something refuse to run.
   */
  readonly outcome: 'finished' | 'undone' | 'cleaned' | 'left'
  readonly diagnostic: Diagnostic
}

/**
 * Finishes or undoes what an earlier process left in a scope whose lock is held, and removes the leftovers of dead processes.
 * Null when there was nothing. Decides by what is on disk now; nothing that is replayed or deleted is named by a file of a
 * repository (security page, "Operations").
 * @throws STATE_INTERRUPTED when it can be neither finished nor undone now; then the journal stays
 */
export const recoverInterrupted = async (context: Context, paths: ScopePaths): Promise<Recovery | null> => {
  const relocated = findRelocatedJournal(context, paths)
  if (relocated !== null) {
    const { journal, from, paths: formerPaths } = relocated
    const recovery = recoverWithJournal(context, formerPaths, journal)
    const folders = journal.changes.flatMap(releasedFolders)
    removeEmptyFolders(context.disk, folders.map((folder) => relocatedPath(folder, from, paths.realRoot)).toSorted())
    removeEmptyFolders(context.disk, [formerPaths.private])
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
  const text = `${quote(journal.command)} was interrupted and is ${outcome === 'finished' ? 'complete' : 'undone'} now`
  return { outcome, diagnostic: diagnostic('info', 'STATE_INTERRUPTED', text, { scope: paths.scope }) }
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
    const text = `the interrupted ${quote(journal.command)} cannot be undone yet: ${error.message}`
    throw new GsdError('STATE_INTERRUPTED', text, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      details: { journal: paths.journal, code: error.code },
    })
  }
}

const cleanUpOnly = (context: Context, paths: ScopePaths): Recovery | null => {
  if (cleanUpScope(context, paths, null).length === 0) return null
  const text = 'removed what an interrupted operation had unpacked; it had changed nothing else'
  return { outcome: 'cleaned', diagnostic: diagnostic('info', 'STATE_INTERRUPTED', text, { scope: paths.scope }) }
}
