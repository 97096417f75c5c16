import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { LoadedRegistry } from '../../overlay/loaded-registry.ts'
import { quote } from '../../redact.ts'
import type { Row } from '../../registry/registry.ts'
import { readHostRecords } from '../../state/host-records.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import type { OrphanWiring } from './orphan-wirings.ts'

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
