import lt from 'semver/functions/lt.js'
import type { Context } from '../../context.ts'
import { diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { listVersions, openRange, type OfferedVersion } from '../../fetch/versions.ts'
import { chooseCompatible } from '../../manifest/engines.ts'
import { quote } from '../../redact.ts'
import type { Spec } from '../../spec/spec.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { fetchingFor } from './fetching-for.ts'
import { prepare, type Prepared, type PrepareRequest } from './prepare.ts'

export interface FittingRequest extends PrepareRequest {
  /** `--downgrade` true, `--no-downgrade` false, neither null: then only specs that leave the version open go back. */
  readonly downgrade: boolean | null
  /** Version that is installed; an update does not go back behind it for a table that forgot it. */
  readonly installed?: string
}

/** How many versions are fetched at the most before it is given up. */
const MOST = 6

/**
 * Prepares what a spec gives, and where the host does not fit it, the newest version that does by `compatVersions`
 * (contract, "engines and compatVersions"). Each version that is fetched is gated by its own `engines`, so a table that
 * lies leads on, or nowhere.
 * @throws OVERLAY_INCOMPATIBLE, naming what would fit, and what `prepare` throws
 */
export const prepareFitting = async (context: Context, request: FittingRequest): Promise<Prepared> => {
  const first = await prepare(context, request)
  if (fits(first)) return first
  const open = openRange(first.spec)
  // A stated integrity means these bytes and no others.
  const only = request.integrity !== null || !(request.downgrade ?? open !== undefined)
  const offered = await versionsOf(context, request, first.spec, only)
  if (offered === null) throw incompatible(context, first, null)
  const found = await goBack(context, request, { first, offered, range: open ?? null, only })
  if (typeof found !== 'string' && found !== null) return found
  throw incompatible(context, first, found)
}

const fits = ({ engines }: Prepared): boolean => engines === null || engines.ok

/** All versions, where the source enumerates them. With `only` they are a help, and the refusal stands without it. */
const versionsOf = async (
  context: Context,
  { places, allowHttp }: FittingRequest,
  spec: Spec,
  only: boolean,
): Promise<readonly OfferedVersion[] | null> => {
  try {
    return await listVersions(spec, fetchingFor(context, places, { allowHttp }))
  } catch (error) {
    if (only && error instanceof GsdError && error.code !== 'INTERRUPTED') return null
    throw error
  }
}

interface WayBack {
  readonly first: Prepared
  readonly offered: readonly OfferedVersion[]
  readonly range: string | null
  /** Only find the version that the table names, and fetch nothing. */
  readonly only: boolean
}

/** What fits, prepared; with `only` its version; null where nothing does. */
const goBack = async (
  context: Context,
  request: FittingRequest,
  { first, offered, range, only }: WayBack,
): Promise<Prepared | string | null> => {
  const tried = new Set([first.manifest.version])
  const compatVersions: Record<string, string> = { ...first.manifest.compatVersions }
  const learn = (version: string, hosts: string): void => {
    if (!Object.hasOwn(compatVersions, version)) compatVersions[version] = hosts
  }
  for (const { version, engines } of offered) if (engines !== null) learn(version, engines)
  while (tried.size <= MOST) {
    const candidates = offered.map(({ version }) => version).filter((version) => !tried.has(version))
    const version = chooseCompatible({ compatVersions, candidates, hostVersion: context.hostVersion.version, range })
    const { installed } = request
    if (version !== null && installed !== undefined && candidates.includes(installed) && lt(version, installed)) {
      if (!Object.hasOwn(compatVersions, installed)) {
        compatVersions[installed] = '*'
        continue
      }
    }
    const pinned = offered.find((each) => each.version === version)?.spec
    if (version === null || pinned === undefined) return null
    if (only) return version
    tried.add(version)
    const next = await prepare(context, { ...request, pinned, into: `${request.into}-${tried.size}` })
    tried.add(next.manifest.version)
    if (fits(next) && next.manifest.id === first.manifest.id) return downgraded(context, request.places, first, next)
    // What an older version says of others counts where the newer ones say nothing.
    for (const [older, hosts] of Object.entries(next.manifest.compatVersions ?? {})) learn(older, hosts)
  }
  return null
}

const downgraded = ({ hostVersion }: Context, { scope }: ScopePlaces, first: Prepared, next: Prepared): Prepared => {
  const { id, version } = first.manifest
  const text = `${quote(id)} ${version} needs GSD ${quote(first.engines?.range ?? '')}, and this is ${hostVersion.version}; ${next.manifest.version} fits and is taken instead`
  const hint = `update GSD and run gsd capability update ${id} --scope ${scope}`
  return {
    ...next,
    recorded: first.recorded,
    spec: first.spec,
    downgradedFrom: version,
    warnings: [diagnostic('warning', 'OVERLAY_DOWNGRADED', text, { id, hint }), ...next.warnings],
  }
}

const incompatible = ({ hostVersion }: Context, { manifest, engines }: Prepared, fitting: string | null): GsdError =>
  new GsdError(
    'OVERLAY_INCOMPATIBLE',
    `${quote(manifest.id)} ${manifest.version} needs GSD ${quote(engines?.range ?? '')}, and this is ${hostVersion.version} (${hostVersion.from})`,
    {
      hint:
        fitting === null
          ? 'install a version made for this GSD, or update GSD'
          : `${fitting} would fit; --downgrade takes it`,
      details: { ...engines, from: hostVersion.from, ...(fitting === null ? {} : { fitting }) },
    },
  )
