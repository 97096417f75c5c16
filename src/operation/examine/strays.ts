import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { hostsOfRecord } from '../../host/plan-placed.ts'
import { isThere } from '../../store/is-there.ts'
import { isCapabilityId } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { isDisabled } from '../../store/state.ts'
import { readInstalled } from '../installed/installed.ts'
import type { ScopeState } from '../installed/scope-state.ts'
import { isAgreed } from '../wiring/rewire.ts'

export interface StrayWiring {
  readonly id: string
  readonly file: string
  /** The host it must not stand in; null: it must not stand in any. */
  readonly runtime: string | null
  /** A clause: `it is not installed`. */
  readonly why: string
}

/** What stands in a host's file and must not: the host runs it, and does not ask us. */
export const strayWirings = (context: Context, places: ScopePlaces, state: ScopeState): readonly StrayWiring[] => {
  const reasons = new Map<string, string | null>()
  return [...state.hosts.files].flatMap(([file, record]) =>
    Object.keys(record.entries).flatMap((id): StrayWiring[] => {
      if (!reasons.has(id)) reasons.set(id, reasonAgainst(context, places, state, id))
      const why = reasons.get(id) ?? null
      if (why !== null) return [{ id, file, runtime: null, why }]
      const named = state.ledger.capabilities.get(id)?.runtimes ?? []
      return hostsOfRecord(record, id)
        .filter((runtime) => !named.includes(runtime))
        .map((runtime) => ({ id, file, runtime, why: `the ledger does not name ${runtime}` }))
    }),
  )
}

const reasonAgainst = (context: Context, places: ScopePlaces, state: ScopeState, id: string): string | null => {
  if (!state.ledger.capabilities.has(id)) return 'it is not installed'
  if (isDisabled(id, state.state, null)) return 'it is disabled'
  if (places.trusted) return null
  try {
    return isAgreed(places, state, readInstalled(context, places, state, id))
      ? null
      : 'it is not what you agreed to any more'
  } catch (error) {
    if (error instanceof GsdError) return 'it is not what you agreed to any more'
    throw error
  }
}

/** Ids whose receipt is there although nothing of that name is installed. */
export const strayReceipts = (
  { disk }: Context,
  { receipts }: ScopePlaces,
  { ledger }: ScopeState,
): readonly string[] =>
  isThere(disk, receipts)
    ? disk
        .readdirSync(receipts)
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
        .filter((id) => isCapabilityId(id) && !ledger.capabilities.has(id))
    : []
