import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { runtimesInRecord } from '../../host/edit/plan-placed-file.ts'
import { consentStatus } from '../../host/wiring/rewire.ts'
import type { LoadedRegistry } from '../../overlay/loaded-registry.ts'
import { listFolder } from '../../platform/folders.ts'
import { quote } from '../../redact.ts'
import type { Row } from '../../registry/registry.ts'
import type { ConsentMatch } from '../../state/find-consent.ts'
import { OWN_SERVER_ID } from '../../state/host-edit.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { readInstalled } from '../../state/installed.ts'
import { isCapabilityId } from '../../state/name-rules.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, type ScopeState } from '../../state/scope-state.ts'

export interface OrphanWiring {
  readonly id: string
  readonly file: string
  /** The host it must not be in; null: it must not be in any. */
  readonly runtime: string | null
  /** A clause: `it is not installed`. */
  readonly why: string
  /** It is disabled; consent to it stays. */
  readonly off: boolean
}

/** Entries that must not be in a host's file: the host runs them without asking this program. */
export const findOrphanWirings = (context: Context, paths: ScopePaths, state: ScopeState): readonly OrphanWiring[] => {
  const reasons = new Map<string, string | null>()
  return [...state.hostRecords.files].flatMap(([file, record]) =>
    Object.keys(record.entries)
      .filter(isOfCapability)
      .flatMap((id): OrphanWiring[] => {
        if (!reasons.has(id)) reasons.set(id, orphanReason(context, paths, state, id))
        const why = reasons.get(id) ?? null
        if (why !== null) return [{ id, file, runtime: null, why, off: isSwitchedOff(id, state) }]
        const named = state.ledger.capabilities.get(id)?.runtimes ?? []
        return runtimesInRecord(record, id)
          .filter((runtime) => !named.includes(runtime))
          .map((runtime) => ({ id, file, runtime, why: `the ledger does not name ${runtime}`, off: false }))
      }),
  )
}

const isOfCapability = (id: string): boolean => id !== OWN_SERVER_ID

const orphanReason = (context: Context, paths: ScopePaths, state: ScopeState, id: string): string | null => {
  if (!state.ledger.capabilities.has(id)) return 'it is not installed'
  if (isSwitchedOff(id, state)) return 'it is disabled'
  if (paths.trusted) return null
  try {
    return REASONS[consentStatus(paths, state, readInstalled(context, paths, state, id))]
  } catch (error) {
    if (error instanceof GsdError) return REASONS.changed
    throw error
  }
}

const REASONS = {
  granted: null,
  changed: 'it changed since you trusted it',
  elsewhere: 'you trusted it in another folder, not in this one',
  never: 'you never trusted it here',
} as const satisfies Record<ConsentMatch['kind'], string | null>

/** Ids with a receipt although nothing of that name is installed. */
export const findOrphanReceipts = (
  { disk }: Context,
  { receipts }: ScopePaths,
  { ledger }: ScopeState,
): readonly string[] =>
  listFolder(disk, receipts)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => isCapabilityId(id) && !ledger.capabilities.has(id))

/** Statuses with which a wired hook must not be in a host. */
const MUST_NOT_RUN: ReadonlySet<Row['status']> = new Set(['inactive', 'invalid', 'disabled', 'missing'])

/**
 * Warns about host entries of inactive capabilities: the host runs them without asking this program (security page,
 * "Disclosure and consent"). For scopes that may come from a repository, where a pull can change what runs.
 */
export const wiredWarnings = (
  context: Context,
  scopes: readonly ScopePaths[],
  { rows }: Pick<LoadedRegistry, 'rows'>,
): Diagnostic[] =>
  scopes.flatMap((paths) => {
    const hosts = readHostRecords(context.disk, paths)
    if (hosts.state !== 'ok') return []
    return [...hosts.value.files].flatMap(([file, { entries }]) =>
      Object.keys(entries)
        .filter(isOfCapability)
        .flatMap((id) => {
          const row = rows.find((each) => each.id === id && each.scope === paths.scope)
          const why =
            row === undefined ? 'it no longer exists' : MUST_NOT_RUN.has(row.status) ? inactiveReason(row) : null
          const off = row?.status === 'disabled'
          return why === null ? [] : [wiredWarning({ id, file, why, off, runtime: null }, paths)]
        }),
    )
  })

const inactiveReason = ({ status, reason }: Row): string => `it is ${status}${reason === null ? '' : `: ${reason}`}`

/** A host entry that must not be there, with the command that removes it. */
export const wiredWarning = (
  { id, file, why, off, runtime }: OrphanWiring,
  { scope, trusted }: ScopePaths,
): Diagnostic =>
  diagnostic(
    'warning',
    'CONSENT_CHANGED',
    `${quote(id)} is wired in ${quote(file)}, and the host runs it although ${why}`,
    {
      id,
      scope,
      file,
      hint:
        trusted || off || runtime !== null
          ? 'gsd capability doctor --fix removes it'
          : `gsd capability trust revoke ${id} --scope ${scope} removes it`,
    },
  )
