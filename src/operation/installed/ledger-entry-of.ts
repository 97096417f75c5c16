import { GsdError } from '../../errors.ts'
import { nearestWord } from '../../nearest.ts'
import { quote } from '../../redact.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'

/** The entry of a capability that must be installed. @throws STATE_NOT_INSTALLED with the nearest id */
export const entryOf = (
  capabilities: ReadonlyMap<string, LedgerEntry>,
  id: string,
  { scope }: ScopePlaces,
): LedgerEntry => {
  const entry = capabilities.get(id)
  if (entry !== undefined) return entry
  const nearest = nearestWord(id, [...capabilities.keys()])
  throw new GsdError('STATE_NOT_INSTALLED', `${quote(id)} is not installed in the ${scope} scope`, {
    hint: nearest === null ? 'gsd capability list shows what is' : `did you mean ${nearest}?`,
    details: { id, scope },
  })
}
