import type { Context } from '../../context.ts'
import { readConsent, type Consents } from '../../store/consent.ts'
import { readHosts, type Hosts } from '../../store/hosts.ts'
import { readLedger, type Ledger } from '../../store/ledger.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { unreadable } from '../../store/records.ts'
import { isDisabled, readState, type State } from '../../store/state.ts'
import type { StoreFile } from '../../store/store-file.ts'

/** What the program keeps of one scope, all of it readable. */
export interface ScopeState {
  readonly ledger: Ledger
  readonly hosts: Hosts
  readonly state: State
  /** The user's own switches, which count in a project too; empty where they cannot be read, or are `state` itself. */
  readonly userState: State
  readonly consents: Consents
}

/**
 * Reads ledger, hosts, state and consent of a scope. A change is refused while any of them cannot be read, since it would
 * be made without knowing what is there (security page, "Operations").
 * @throws STATE_*
 */
export const readScopeState = (context: Context, places: ScopePlaces): ScopeState => ({
  ledger: valueOf(readLedger(context.disk, places), { capabilities: new Map() }),
  hosts: valueOf(readHosts(context.disk, places), { files: new Map() }),
  state: valueOf(readState(context.disk, places), { capabilities: new Map() }),
  userState: userStateOf(context, places),
  consents: valueOf(readConsent(context.disk, context.user), { grants: new Map() }),
})

/** Whether the user, or the project, switched a capability off. */
export const isOff = (id: string, { state, userState }: Pick<ScopeState, 'state' | 'userState'>): boolean =>
  isDisabled(id, userState, state)

const userStateOf = ({ disk, global }: Context, places: ScopePlaces): State => {
  const found = places === global ? null : readState(disk, global)
  return found?.state === 'ok' ? found.value : { capabilities: new Map() }
}

const valueOf = <T>(file: StoreFile<T>, empty: T): T => {
  if (file.state === 'absent') return empty
  if (file.state === 'ok') return file.value
  throw unreadable(file.diagnostic)
}
