import lt from 'semver/functions/lt.js'
import type { Context } from '../context.ts'
import { diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { chooseCompatibleVersion } from '../manifest/engines.ts'
import { quote } from '../redact.ts'
import type { Spec } from '../spec/spec.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { prepare, type Prepared, type PrepareRequest } from './prepare.ts'
import { scopeFetchContext } from './scope-fetch-context.ts'
import { listVersions, allowedRange, type AvailableVersion } from './versions.ts'

export interface PrepareCompatibleRequest extends PrepareRequest {
  /** `--downgrade` true, `--no-downgrade` false, neither null: only specs that do not pin a version may go back. */
  readonly downgrade: boolean | null
  /** Installed version; an update does not go below it because a table omits it. */
  readonly installed?: string
}

/** Versions to fetch before giving up. */
const MAX_FETCHED = 6

/**
 * Prepares what a spec names, or if the host does not fit, the newest version that does by `compatVersions` (contract,
 * "engines and compatVersions"). Each fetched version is checked by its own `engines`, so a wrong table does no harm.
 * @throws OVERLAY_INCOMPATIBLE, naming a version that fits, and what `prepare` throws
 */
export const prepareCompatible = async (context: Context, request: PrepareCompatibleRequest): Promise<Prepared> => {
  const first = await prepare(context, request)
  if (isCompatible(first)) return first
  const open = allowedRange(first.spec)
  // A stated integrity means these bytes and no others.
  const nameOnly = request.integrity !== null || !(request.downgrade ?? open !== undefined)
  const available = await availableVersions(context, request, first.spec, nameOnly)
  if (available === null) throw incompatibleError(context, first, null)
  const found = await findCompatible(context, request, { first, available, range: open ?? null, nameOnly })
  if (typeof found !== 'string' && found !== null) return found
  throw incompatibleError(context, first, found)
}

const isCompatible = ({ engines }: Prepared): boolean => engines === null || engines.ok

/** All versions, if the source lists them. With `nameOnly` they only improve the error, so a failure is ignored. */
const availableVersions = async (
  context: Context,
  { paths, allowHttp }: PrepareCompatibleRequest,
  spec: Spec,
  only: boolean,
): Promise<readonly AvailableVersion[] | null> => {
  try {
    return await listVersions(spec, scopeFetchContext(context, paths, { allowHttp }))
  } catch (error) {
    if (only && error instanceof GsdError && error.code !== 'INTERRUPTED') return null
    throw error
  }
}

interface CompatibleSearch {
  readonly first: Prepared
  readonly available: readonly AvailableVersion[]
  readonly range: string | null
  /** Find the version in the table, and fetch nothing. */
  readonly nameOnly: boolean
}

/** What fits, prepared; with `nameOnly` its version; null if nothing fits. */
const findCompatible = async (
  context: Context,
  request: PrepareCompatibleRequest,
  { first, available, range, nameOnly }: CompatibleSearch,
): Promise<Prepared | string | null> => {
  const tried = new Set([first.manifest.version])
  const compatVersions: Record<string, string> = { ...first.manifest.compatVersions }
  const learn = (version: string, hosts: string): void => {
    if (!Object.hasOwn(compatVersions, version)) compatVersions[version] = hosts
  }
  for (const { version, engines } of available) if (engines !== null) learn(version, engines)
  while (tried.size <= MAX_FETCHED) {
    const candidates = available.map(({ version }) => version).filter((version) => !tried.has(version))
    const version = chooseCompatibleVersion({
      compatVersions,
      candidates,
      hostVersion: context.hostVersion.version,
      range,
    })
    const { installed } = request
    if (version !== null && installed !== undefined && candidates.includes(installed) && lt(version, installed)) {
      if (!Object.hasOwn(compatVersions, installed)) {
        compatVersions[installed] = '*'
        continue
      }
    }
    const pinned = available.find((each) => each.version === version)?.spec
    if (version === null || pinned === undefined) return null
    if (nameOnly) return version
    tried.add(version)
    const next = await prepare(context, { ...request, pinned, into: `${request.into}-${tried.size}` })
    tried.add(next.manifest.version)
    if (isCompatible(next) && next.manifest.id === first.manifest.id)
      return asDowngrade(context, request.paths, first, next)
    // An older version's table fills gaps in the newer ones.
    for (const [older, hosts] of Object.entries(next.manifest.compatVersions ?? {})) learn(older, hosts)
  }
  return null
}

const asDowngrade = ({ hostVersion }: Context, { scope }: ScopePaths, first: Prepared, next: Prepared): Prepared => {
  const { id, version } = first.manifest
  const text = `${quote(id)} ${version} needs GSD ${quote(first.engines?.range ?? '')}, and this is ${hostVersion.version}; ${next.manifest.version} fits and is installed instead`
  const hint = `update GSD and run gsd capability update ${id} --scope ${scope}`
  return {
    ...next,
    recordedSpec: first.recordedSpec,
    spec: first.spec,
    downgradedFrom: version,
    warnings: [diagnostic('warning', 'OVERLAY_DOWNGRADED', text, { id, hint }), ...next.warnings],
  }
}

const incompatibleError = (
  { hostVersion }: Context,
  { manifest, engines }: Prepared,
  fitting: string | null,
): GsdError =>
  new GsdError(
    'OVERLAY_INCOMPATIBLE',
    `${quote(manifest.id)} ${manifest.version} needs GSD ${quote(engines?.range ?? '')}, and this is ${hostVersion.version} (${hostVersion.from})`,
    {
      hint:
        fitting === null
          ? 'install a version made for this GSD, or update GSD'
          : `${fitting} fits; --downgrade installs it`,
      details: { ...engines, from: hostVersion.from, ...(fitting === null ? {} : { fitting }) },
    },
  )
