import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'
import valid from 'semver/functions/valid.js'

/** Whether a host fits, with what an explanation needs. */
export interface EnginesMatch {
  readonly ok: boolean
  /** The capability's `engines.gsd`. */
  readonly range: string
  /** The host's version. */
  readonly version: string
}

/**
 * True when the host version, prereleases included, and its release core both lie in the range (contract, "engines and
 * compatVersions"). The core keeps `3.0.0-rc.1` out of `<3.0.0`; the version itself keeps `1.14.0-rc.1` out of
 * `>=1.14.0`. A range or version that cannot be read is never satisfied.
 */
export const satisfiesEngines = (range: string, hostVersion: string): boolean => {
  const host = parse(hostVersion)
  return host !== null && satisfies(host, range, PRERELEASES) && satisfies(coreOf(host), range, PRERELEASES)
}

/** The same, as a value that can be shown; null where the manifest asks for nothing. */
export const matchEngines = (
  engines: { readonly gsd?: string } | undefined,
  hostVersion: string,
): EnginesMatch | null =>
  engines?.gsd === undefined
    ? null
    : { ok: satisfiesEngines(engines.gsd, hostVersion), range: engines.gsd, version: hostVersion }

/** What a source offers, and who asks. */
export interface CompatibleQuery {
  /** `compatVersions` of the manifest that did not fit: capability version → minimum host version or range. */
  readonly compatVersions: Readonly<Record<string, string>>
  /** Capability versions that the source enumerates. */
  readonly candidates: readonly string[]
  readonly hostVersion: string
  /** The range that the spec leaves open; null where it leaves everything open. */
  readonly range: string | null
}

/**
 * The newest capability version inside the range whose `compatVersions` entry the host satisfies, or null. Prereleases
 * are taken only if nothing stable fits. The table may lie, so the version that is fetched is gated by its own `engines`.
 */
export const chooseCompatibleVersion = ({
  compatVersions,
  candidates,
  hostVersion,
  range,
}: CompatibleQuery): string | null => {
  const table = new Map(Object.entries(compatVersions))
  const fitting = candidates
    .flatMap((candidate) => parse(candidate) ?? [])
    .filter(({ version }) => {
      const entry = table.get(version)
      return entry !== undefined && satisfiesEngines(toRange(entry), hostVersion)
    })
    .filter(({ version }) => range === null || satisfiesEngines(range, version))
    .sort((a, b) => compare(b, a))
  return (fitting.find(({ prerelease }) => prerelease.length === 0) ?? fitting[0])?.version ?? null
}

const PRERELEASES = { includePrerelease: true }

const coreOf = ({ major, minor, patch }: { readonly major: number; readonly minor: number; readonly patch: number }) =>
  `${major}.${minor}.${patch}`

/** An entry's value is a version, which is a minimum, or a range. */
const toRange = (value: string): string => (valid(value) === null ? value : `>=${value}`)
