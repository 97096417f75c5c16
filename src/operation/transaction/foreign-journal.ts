import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import type { Journal } from '../../store/journal-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'

/** Why a journal is not to be used here: it was written for another folder, or another scope. Null: it is ours. */
export const foreignJournal = (places: ScopePlaces, { command, root, scope }: Journal): Diagnostic | null => {
  if (root === places.realRoot && scope === places.scope) return null
  const text = `an interrupted ${quote(command)} belongs to ${quote(root)} (${scope}), not to ${quote(places.realRoot)} (${places.scope}); it is left alone`
  const { journal: file } = places
  return diagnostic('error', 'STATE_INTERRUPTED', text, {
    file,
    scope: places.scope,
    hint: `if that folder is gone, delete ${quote(file)}`,
  })
}
