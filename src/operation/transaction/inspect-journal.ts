import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import { readJournal } from '../../store/journal.ts'
import { isHeld } from '../../store/lock-folder.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { movedJournal } from '../moved/moved-journal.ts'
import { foreignJournal } from './foreign-journal.ts'

/**
 * What a command that may not write says of a scope: an operation is under way, or one was interrupted and waits for a
 * command that may. Null when neither. Changes nothing, waits for nothing.
 */
export const inspectJournal = (context: Context, places: ScopePlaces): Diagnostic | null => {
  const { disk, identity } = context
  const { scope, journal: file } = places
  const moved = movedJournal(context, places)
  if (moved !== null) {
    const text = `${quote(moved.journal.command)} was interrupted in the ${scope} scope before its folder was moved from ${quote(moved.from)}, and is neither done nor undone`
    return diagnostic('warning', 'STATE_INTERRUPTED', text, {
      scope,
      file: moved.places.journal,
      hint: 'gsd capability doctor --fix',
    })
  }
  const found = readJournal(disk, places)
  if (found.state === 'absent') return null
  if (isHeld(disk, places.lock, identity)) {
    return diagnostic('info', 'STATE_BUSY', `an operation is under way in the ${scope} scope`, { scope, file })
  }
  if (found.state === 'unreadable') return found.diagnostic
  const foreign = foreignJournal(places, found.value)
  if (foreign !== null) return foreign
  const text = `${quote(found.value.command)} was interrupted in the ${scope} scope and is neither done nor undone`
  return diagnostic('warning', 'STATE_INTERRUPTED', text, { scope, file, hint: 'gsd capability doctor --fix' })
}
