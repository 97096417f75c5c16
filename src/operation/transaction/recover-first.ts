import { scopesOf } from '../../config/places.ts'
import type { Context } from '../../context.ts'
import { diagnostic } from '../../diagnostic.ts'
import { errnoOf, GsdError } from '../../errors.ts'
import { withLock } from '../../store/lock.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { unreadable } from '../../store/records.ts'
import { heritage, inherit } from '../moved/inherit.ts'
import { unpackedBelow, unsettledScopes } from './interrupted.ts'
import { recover } from './recover.ts'
import { sweepFolders } from './sweep.ts'

/**
 * Finishes or takes back what was interrupted in any scope, and puts on record what came with the folder of one that was
 * moved or copied, before a command reads what is there. Never waits: where an operation is under way, it is left to it.
 * What cannot be mended now is said and left.
 */
export const recoverFirst = async (context: Context): Promise<void> => {
  sweepCache(context)
  const unsettled = unsettledScopes(context)
  for (const places of unsettled) await mend(context, places, 'an interrupted operation could not be mended')
  for (const places of scopesOf(context)) {
    const isMoved = !unsettled.includes(places) && heritage(context, places).length > 0
    if (isMoved) await mend(context, places, 'what came along with its folder could not be put on record')
  }
}

const mend = async (context: Context, places: ScopePlaces, what: string): Promise<void> => {
  try {
    await withLock(context, places, () => recoverScope(context, places), { wait: 0 })
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    if (error.code === 'LOCK_HELD') return
    const text = `in the ${places.scope} scope ${what}: ${error.message}`
    context.report({
      kind: 'warning',
      diagnostic: diagnostic('warning', error.code, text, { file: places.journal, hint: 'gsd capability doctor' }),
    })
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
  if (recovery?.outcome === 'left') throw unreadable(recovery.diagnostic)
  if (recovery !== null && recovery.outcome !== 'swept')
    context.report({ kind: 'notice', text: recovery.diagnostic.message })
  inherit(context, places)
}
