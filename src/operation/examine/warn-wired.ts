import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { World } from '../../overlay/world.ts'
import { quote } from '../../redact.ts'
import type { Row } from '../../registry/registry.ts'
import { readHosts } from '../../store/hosts.ts'
import type { ScopePlaces } from '../../store/places.ts'
import type { StrayWiring } from './strays.ts'

/** Ways of taking no part in which a wired hook must not stand in a host. */
const MUST_NOT_RUN: ReadonlySet<Row['status']> = new Set(['inactive', 'invalid', 'disabled', 'missing'])

/**
 * Warns of what stands in a host although it takes no part here: the host runs it, and does not ask us (security page,
 * "Disclosure and consent"). Looks at scopes that may come from a repository, where a pull is enough to change what runs.
 */
export const warnWired = (
  context: Context,
  scopes: readonly ScopePlaces[],
  { rows }: Pick<World, 'rows'>,
): Diagnostic[] =>
  scopes.flatMap((places) => {
    const hosts = readHosts(context.disk, places)
    if (hosts.state !== 'ok') return []
    return [...hosts.value.files].flatMap(([file, { entries }]) =>
      Object.keys(entries).flatMap((id) => {
        const row = rows.find((each) => each.id === id && each.scope === places.scope)
        const why = row === undefined ? 'it is not there any more' : MUST_NOT_RUN.has(row.status) ? whyOf(row) : null
        const off = row?.status === 'disabled'
        return why === null ? [] : [wiredWarning({ id, file, why, off, runtime: null }, places)]
      }),
    )
  })

const whyOf = ({ status, reason }: Row): string =>
  reason?.startsWith('it is ') === true ? reason : `it is ${status}${reason === null ? '' : `: ${reason}`}`

/** Something that stands in a host and must not, with the command that takes it out. */
export const wiredWarning = (
  { id, file, why, off, runtime }: StrayWiring,
  { scope, trusted }: ScopePlaces,
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
