import type { Context } from '../context.ts'
import { diagnostic } from '../diagnostic.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { unreadableError } from '../state/stores.ts'
import { cleanUpFolders } from './clean-up.ts'
import { withLock } from './lock.ts'
import { recoverInterrupted } from './recover-interrupted.ts'
import { findRelocations, recordRelocations } from './relocation/record-relocations.ts'
import { cacheCleanUpFolders, unfinishedScopes } from './unfinished-scopes.ts'

/**
 * Finishes or takes back what was interrupted in any scope, and puts on record what came with the folder of one that was
 * moved or copied, before a command reads what is there. Never waits: where an operation is under way, it is left to it.
 * What cannot be mended now is said and left.
 */
export const recoverAllScopes = async (context: Context): Promise<void> => {
  cleanUpCache(context)
  const unsettled = unfinishedScopes(context)
  for (const paths of unsettled) await tryRecover(context, paths, 'an interrupted operation could not be mended')
  for (const paths of scopesOf(context)) {
    const isMoved = !unsettled.includes(paths) && findRelocations(context, paths).length > 0
    if (isMoved) await tryRecover(context, paths, 'what came along with its folder could not be put on record')
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

/** What cannot be taken away there stays until it can: the cache is nobody's loss. */
const cleanUpCache = (context: Context): void => {
  try {
    cleanUpFolders(context, cacheCleanUpFolders(context))
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof GsdError)) throw error
  }
}

/** The same for one scope, its lock held; says in one line what was done. @throws STATE_*, HOST_* */
export const recoverScope = async (context: Context, paths: ScopePaths): Promise<void> => {
  const recovery = await recoverInterrupted(context, paths)
  if (recovery?.outcome === 'left') throw unreadableError(recovery.diagnostic)
  if (recovery !== null && recovery.outcome !== 'swept')
    context.report({ kind: 'notice', text: recovery.diagnostic.message })
  recordRelocations(context, paths)
}
