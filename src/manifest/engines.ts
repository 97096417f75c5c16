import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'
import valid from 'semver/functions/valid.js'

/** Whether a host version satisfies `engines`, with both sides. */
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
 * `>=1.14.0`. An invalid range or version is never satisfied.
 */
export const satisfiesEngines = (range: string, hostVersion: string): boolean => {
  const host = parse(hostVersion)
  return host !== null && satisfies(host, range, PRERELEASES) && satisfies(coreOf(host), range, PRERELEASES)
}

/** The same as a value; null when the manifest has no `engines.gsd`. */
export const matchEngines = (
  engines: { readonly gsd?: string } | undefined,
  hostVersion: string,
): EnginesMatch | null =>
  engines?.gsd === undefined
    ? null
    : { ok: satisfiesEngines(engines.gsd, hostVersion), range: engines.gsd, version: hostVersion }

/** Versions of a source, and what they must fit. */
export interface CompatibleQuery {
  /** `compatVersions` of the newest manifest: capability version → minimum host version or range. */
  readonly compatVersions: Readonly<Record<string, string>>
  /** Capability versions of the source. */
  readonly candidates: readonly string[]
  readonly hostVersion: string
  /** Range of the spec; null for any version. */
  readonly range: string | null
}

/**
 * The newest capability version inside the range whose `compatVersions` entry the host satisfies, or null. Prereleases
 * are chosen only if no stable version fits. The table may be wrong, so `engines` of the fetched version is checked too.
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

/** A plain version is a minimum. */
const toRange = (value: string): string => (valid(value) === null ? value : `>=${value}`)
