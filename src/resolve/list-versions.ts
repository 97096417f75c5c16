import type { FetchContext } from '../fetch/fetcher.ts'
import type { GitSpec, NpmSpec, Spec, SpecKind } from '../spec/spec.ts'

/** One version that a source offers, and the spec that names exactly it. */
export interface AvailableVersion {
  /** Plain SemVer. */
  readonly version: string
  readonly spec: Spec
  /** Range of host versions, where the source says it; null where it does not. */
  readonly engines: string | null
}

/**
 * Every version that a source enumerates, newest first; null for a source that has only one (contract, "engines and
 * compatVersions").
 * @throws GsdError FETCH_*, SPEC_*, POLICY_*
 */
export const listVersions = async (spec: Spec, context: FetchContext): Promise<readonly AvailableVersion[] | null> => {
  const list = VERSION_LISTERS[spec.kind] as (
    spec: Spec,
    context: FetchContext,
  ) => Promise<readonly AvailableVersion[] | null>
  return list(spec, context)
}

/** The range within which a spec leaves the version open, null for all; undefined where it names one version. */
export const allowedRange = (spec: Spec): string | null | undefined => {
  switch (spec.kind) {
    case 'git':
      return spec.ref === null ? null : spec.ref.kind === 'semver' ? spec.ref.range : undefined
    case 'npm':
      return spec.selector?.kind === 'range' ? spec.selector.text : spec.selector?.kind === 'version' ? undefined : null
    case 'catalog':
      return spec.range === null ? null : isExact(spec.range) ? undefined : spec.range
    case 'tarball':
    case 'local':
      return undefined
  }
}

const isExact = (range: string): boolean => /^=?\s*v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(range)

const listGitVersions = async (spec: GitSpec, context: FetchContext): Promise<readonly AvailableVersion[]> => {
  const { gitTags } = await import('../fetch/git/list-remote.ts')
  return (await gitTags(spec, context)).map(({ tag, version }) => ({
    version,
    spec: { ...spec, ref: { kind: 'tag', name: tag } },
    engines: null,
  }))
}

const listPackageVersions = async (spec: NpmSpec, context: FetchContext): Promise<readonly AvailableVersion[]> => {
  const { listNpmVersions: npmVersionsOf } = await import('../fetch/npm/npm-versions.ts')
  return (await npmVersionsOf(spec, context)).map((version) => ({
    version,
    spec: { ...spec, selector: { kind: 'version', text: version } },
    engines: null,
  }))
}

const VERSION_LISTERS = {
  git: listGitVersions,
  npm: listPackageVersions,
  catalog: async (spec, context) => {
    const { catalogVersions } = await import('../fetch/catalog/fetch-catalog.ts')
    return (await catalogVersions(spec, context)).map(({ version, engines }) => ({
      version,
      spec: { ...spec, range: version },
      engines,
    }))
  },
  tarball: async () => null,
  local: async () => null,
} satisfies {
  readonly [K in SpecKind]: (
    spec: Extract<Spec, { readonly kind: K }>,
    context: FetchContext,
  ) => Promise<readonly AvailableVersion[] | null>
}
