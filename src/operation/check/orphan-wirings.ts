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
import { readHostRecords } from '../../state/host-records.ts'
import { readInstalled } from '../../state/installed.ts'
import { isCapabilityId } from '../../state/name-rules.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, type ScopeState } from '../../state/scope-state.ts'

export interface OrphanWiring {
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
export const findOrphanWirings = (context: Context, paths: ScopePaths, state: ScopeState): readonly OrphanWiring[] => {
  const reasons = new Map<string, string | null>()
  return [...state.hostRecords.files].flatMap(([file, record]) =>
    Object.keys(record.entries).flatMap((id): OrphanWiring[] => {
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
  changed: 'it is not what you agreed to any more',
  elsewhere: 'you agreed to it in another folder, and not in this one',
  never: 'you never agreed to it here',
} as const satisfies Record<ConsentMatch['kind'], string | null>

/** Ids whose receipt is there although nothing of that name is installed. */
export const findOrphanReceipts = (
  { disk }: Context,
  { receipts }: ScopePaths,
  { ledger }: ScopeState,
): readonly string[] =>
  listFolder(disk, receipts)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => isCapabilityId(id) && !ledger.capabilities.has(id))

/** Ways of taking no part in which a wired hook must not stand in a host. */
const MUST_NOT_RUN: ReadonlySet<Row['status']> = new Set(['inactive', 'invalid', 'disabled', 'missing'])

/**
 * Warns of what stands in a host although it takes no part here: the host runs it, and does not ask us (security page,
 * "Disclosure and consent"). Looks at scopes that may come from a repository, where a pull is enough to change what runs.
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
      Object.keys(entries).flatMap((id) => {
        const row = rows.find((each) => each.id === id && each.scope === paths.scope)
        const why =
          row === undefined ? 'it is not there any more' : MUST_NOT_RUN.has(row.status) ? inactiveReason(row) : null
        const off = row?.status === 'disabled'
        return why === null ? [] : [wiredWarning({ id, file, why, off, runtime: null }, paths)]
      }),
    )
  })

const inactiveReason = ({ status, reason }: Row): string =>
  reason?.startsWith('it is ') === true ? reason : `it is ${status}${reason === null ? '' : `: ${reason}`}`

/** Something that stands in a host and must not, with the command that takes it out. */
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
          ? 'gsd capability doctor --fix takes it out'
          : `gsd capability trust revoke ${id} --scope ${scope} takes it out`,
    },
  )
