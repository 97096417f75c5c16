import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { readGrants, type Grants } from './grants.ts'
import { readHostRecords, type HostRecords } from './host-records.ts'
import { readLedger, type Ledger } from './ledger.ts'
import type { ScopePaths } from './scope-paths.ts'
import type { StateFile } from './state-file.ts'
import { unreadableError } from './stores.ts'
import { isDisabled, readSwitches, type Switches } from './switches.ts'

/** The state files of one scope; all of them could be read. */
export interface ScopeState {
  readonly ledger: Ledger
  readonly hostRecords: HostRecords
  readonly switches: Switches
  /** The user's switches, which apply in projects too; empty where they cannot be read, and for the global scope. */
  readonly userSwitches: Switches
  readonly grants: Grants
}

/**
 * Reads ledger, host records, switches and consents of a scope. No change is made while any of them cannot be read (security
 * page, "Operations").
 * @throws STATE_*
 */
export const readScopeState = (
  context: Context,
  paths: ScopePaths,
  { needsGrants = true }: { readonly needsGrants?: boolean } = {},
): ScopeState => ({
  ledger: valueOrEmpty(readLedger(context.disk, paths), { capabilities: new Map() }),
  hostRecords: valueOrEmpty(readHostRecords(context.disk, paths), { files: new Map() }),
  switches: valueOrEmpty(readSwitches(context.disk, paths), { byCapability: new Map() }),
  userSwitches: userSwitchesOf(context, paths),
  grants: grantsOf(readGrants(context.disk, context.user), needsGrants),
})

/** What a report can say of a scope, and why it cannot say all. */
export interface ReadableState {
  /** Null where more than the consents cannot be read; without readable consents it has none. */
  readonly state: ScopeState | null
  readonly error: GsdError | null
}

/** Reads the state files of a scope for a report, which goes on with what can be read. */
export const readReadableState = (context: Context, paths: ScopePaths): ReadableState => {
  try {
    return { state: readScopeState(context, paths), error: null }
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    return { state: stateWithoutGrants(context, paths), error }
  }
}

const stateWithoutGrants = (context: Context, paths: ScopePaths): ScopeState | null => {
  try {
    return readScopeState(context, paths, { needsGrants: false })
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

/** Whether the user or the project disabled a capability. */
export const isSwitchedOff = (
  id: string,
  { switches, userSwitches }: Pick<ScopeState, 'switches' | 'userSwitches'>,
): boolean => isDisabled(id, userSwitches, switches)

/** `remove` and `disable` only remove, so they do not need the grants. */
const grantsOf = (file: StateFile<Grants>, needed: boolean): Grants =>
  valueOrEmpty(needed || file.state !== 'unreadable' ? file : { state: 'absent' }, { byKey: new Map() })

const userSwitchesOf = ({ disk, global }: Context, paths: ScopePaths): Switches => {
  const found = paths === global ? null : readSwitches(disk, global)
  return found?.state === 'ok' ? found.value : { byCapability: new Map() }
}

const valueOrEmpty = <T>(file: StateFile<T>, empty: T): T => {
  if (file.state === 'absent') return empty
  if (file.state === 'ok') return file.value
  throw unreadableError(file.diagnostic)
}
