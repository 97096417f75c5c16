import type { Context } from '../../context.ts'
import { diagnostic } from '../../diagnostic.ts'
import { errnoOf, GsdError } from '../../errors.ts'
import { withLock } from '../../store/lock.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { unreadable } from '../../store/records.ts'
import { unpackedBelow, unsettledScopes } from './interrupted.ts'
import { recover } from './recover.ts'
import { sweepFolders } from './sweep.ts'

/**
 * Finishes or takes back what was interrupted in any scope, before a command reads what is there. Never waits: where an
 * operation is under way, it is left to it. What cannot be mended now is said and left.
 */
export const recoverFirst = async (context: Context): Promise<void> => {
  sweepCache(context)
  for (const places of unsettledScopes(context)) {
    try {
      await withLock(context, places, () => recoverScope(context, places), { wait: 0 })
    } catch (error) {
      if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
      if (error.code === 'LOCK_HELD') continue
      const text = `an interrupted operation in the ${places.scope} scope could not be mended: ${error.message}`
      context.report({
        kind: 'warning',
        diagnostic: diagnostic('warning', error.code, text, { file: places.journal, hint: 'gsd capability doctor' }),
      })
    }
  }
}

/** What cannot be taken away there stays until it can: the cache is nobody's loss. */
const sweepCache = (context: Context): void => {
  try {
    sweepFolders(context, unpackedBelow(context))
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof GsdError)) throw error
  }
}

/** The same for one scope, its lock held; says in one line what was done. @throws STATE_*, HOST_* */
export const recoverScope = async (context: Context, places: ScopePlaces): Promise<void> => {
  const recovery = await recover(context, places)
  if (recovery === null || recovery.outcome === 'swept') return
  if (recovery.outcome === 'left') throw unreadable(recovery.diagnostic)
  context.report({ kind: 'notice', text: recovery.diagnostic.message })
}
