import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { hostsOfRecord } from '../../host/plan-placed.ts'
import type { ConsentAnswer } from '../../store/find-consent.ts'
import { namesIn } from '../../store/names-in.ts'
import { isCapabilityId } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { readInstalled } from '../installed/installed.ts'
import { isOff, type ScopeState } from '../installed/scope-state.ts'
import { agreementTo } from '../wiring/rewire.ts'

export interface StrayWiring {
  readonly id: string
  readonly file: string
  /** The host it must not stand in; null: it must not stand in any. */
  readonly runtime: string | null
  /** A clause: `it is not installed`. */
  readonly why: string
  /** It was switched off, and what the user agreed to stays agreed to. */
  readonly off: boolean
}

/** What stands in a host's file and must not: the host runs it, and does not ask us. */
export const strayWirings = (context: Context, places: ScopePlaces, state: ScopeState): readonly StrayWiring[] => {
  const reasons = new Map<string, string | null>()
  return [...state.hosts.files].flatMap(([file, record]) =>
    Object.keys(record.entries).flatMap((id): StrayWiring[] => {
      if (!reasons.has(id)) reasons.set(id, reasonAgainst(context, places, state, id))
      const why = reasons.get(id) ?? null
      if (why !== null) return [{ id, file, runtime: null, why, off: isOff(id, state) }]
      const named = state.ledger.capabilities.get(id)?.runtimes ?? []
      return hostsOfRecord(record, id)
        .filter((runtime) => !named.includes(runtime))
        .map((runtime) => ({ id, file, runtime, why: `the ledger does not name ${runtime}`, off: false }))
    }),
  )
}

const reasonAgainst = (context: Context, places: ScopePlaces, state: ScopeState, id: string): string | null => {
  if (!state.ledger.capabilities.has(id)) return 'it is not installed'
  if (isOff(id, state)) return 'it is disabled'
  if (places.trusted) return null
  try {
    return REASONS[agreementTo(places, state, readInstalled(context, places, state, id))]
  } catch (error) {
    if (error instanceof GsdError) return REASONS.changed
    throw error
  }
}

const REASONS = {
  granted: null,
  changed: 'it is not what you agreed to any more',
  elsewhere: 'you agreed to it in another folder, and not in this one',
  never: 'you never agreed to it here',
} as const satisfies Record<ConsentAnswer['kind'], string | null>

/** Ids whose receipt is there although nothing of that name is installed. */
export const strayReceipts = (
  { disk }: Context,
  { receipts }: ScopePlaces,
  { ledger }: ScopeState,
): readonly string[] =>
  namesIn(disk, receipts)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => isCapabilityId(id) && !ledger.capabilities.has(id))
