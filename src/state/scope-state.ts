import type { Context } from '../context.ts'
import { readConsentStore, type ConsentStore } from './consent-store.ts'
import { readHostRecords, type HostRecords } from './host-records.ts'
import { readLedger, type Ledger } from './ledger.ts'
import type { ScopePaths } from './scope-paths.ts'
import type { StateFile } from './state-file.ts'
import { unreadableError } from './stores.ts'
import { isDisabled, readSwitches, type Switches } from './switches.ts'

/** What the program keeps of one scope, all of it readable. */
export interface ScopeState {
  readonly ledger: Ledger
  readonly hostRecords: HostRecords
  readonly switches: Switches
  /** The user's own switches, which count in a project too; empty where they cannot be read, or are `state` itself. */
  readonly userSwitches: Switches
  readonly consentStore: ConsentStore
}

/**
 * Reads ledger, hosts, state and consent of a scope. A change is refused while any of them cannot be read, since it would
 * be made without knowing what is there (security page, "Operations").
 * @throws STATE_*
 */
export const readScopeState = (context: Context, paths: ScopePaths): ScopeState => ({
  ledger: valueOrEmpty(readLedger(context.disk, paths), { capabilities: new Map() }),
  hostRecords: valueOrEmpty(readHostRecords(context.disk, paths), { files: new Map() }),
  switches: valueOrEmpty(readSwitches(context.disk, paths), { byCapability: new Map() }),
  userSwitches: userSwitchesOf(context, paths),
  consentStore: valueOrEmpty(readConsentStore(context.disk, context.user), { grants: new Map() }),
})

/** Whether the user, or the project, switched a capability off. */
export const isSwitchedOff = (
  id: string,
  { switches, userSwitches }: Pick<ScopeState, 'switches' | 'userSwitches'>,
): boolean => isDisabled(id, userSwitches, switches)

const userSwitchesOf = ({ disk, global }: Context, paths: ScopePaths): Switches => {
  const found = paths === global ? null : readSwitches(disk, global)
  return found?.state === 'ok' ? found.value : { byCapability: new Map() }
}

const valueOrEmpty = <T>(file: StateFile<T>, empty: T): T => {
  if (file.state === 'absent') return empty
  if (file.state === 'ok') return file.value
  throw unreadableError(file.diagnostic)
}
