import type { FetchContext } from '../fetch/fetcher.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { CatalogSpec, GitSpec, NpmSpec, Spec, SpecKind } from '../spec/spec.ts'
import type { LedgerEntry, Resolved } from '../state/ledger.ts'

/** One version that a source offers, and the spec that names exactly it. */
export interface AvailableVersion {
  /** Plain SemVer. */
  readonly version: string
  readonly spec: Spec
  /** Range of host versions; null if the source does not state it. */
  readonly engines: string | null
}

/**
 * Every version of a source, newest first; null for a source that has only one (contract, "engines and
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

/** The range of versions a spec allows, null for all; undefined if it names one version. */
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
  const { gitTags } = await import('../fetch/git/resolve-target.ts')
  return (await gitTags(spec, context)).map(({ tag, version }) => ({
    version,
    spec: { ...spec, ref: { kind: 'tag', name: tag } },
    engines: null,
  }))
}

const listPackageVersions = async (spec: NpmSpec, context: FetchContext): Promise<readonly AvailableVersion[]> => {
  const { listNpmVersions } = await import('../fetch/npm/npm-versions.ts')
  return (await listNpmVersions(spec, context)).map((version) => ({
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

/** What a source has now, as far as known without fetching. */
export type UpdateCheck =
  /** The spec pins its content. */
  | { readonly kind: 'pinned' }
  /** A folder, an archive or a catalog, which is fetched and compared. */
  | { readonly kind: 'fetch'; readonly newest: string | null }
  | SourceVersion

export interface SourceVersion {
  readonly kind: 'listed'
  /** Version it offers now; null if only the commit is known. */
  readonly version: string | null
  readonly commit: string | null
  readonly tag: string | null
  /** Newest stable version of the source, whatever the spec allows; null if it lists none. */
  readonly newest: string | null
}

/**
 * Checks what a source has now. What "newer" means depends on the kind (contract, `capability outdated`): tags or the head
 * of a branch, the registry's versions and tags, the catalog.
 * @throws GsdError FETCH_*, POLICY_*, INTERRUPTED
 */
export const checkForUpdates = async (spec: Spec, recorded: Resolved, context: FetchContext): Promise<UpdateCheck> =>
  (UPDATE_CHECKERS[spec.kind] as UpdateChecker)(spec, recorded, context)

type UpdateChecker<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  recorded: Resolved,
  context: FetchContext,
) => Promise<UpdateCheck>

/** A tag is a pin too, but it can be moved, so it is checked when online. */
const checkGit = async (spec: GitSpec, recorded: Resolved, context: FetchContext): Promise<UpdateCheck> => {
  const { ref } = spec
  if (ref?.kind === 'sha') return { kind: 'pinned' }
  const isRecordedTag = (ref?.kind === 'tag' || ref?.kind === 'any') && ref.name === recorded.tag
  if (context.offline && isRecordedTag) return { kind: 'pinned' }
  const { currentTarget } = await import('../fetch/git/resolve-target.ts')
  const target = await currentTarget(spec, context)
  const isPin = target.tag !== null && (ref?.kind === 'tag' || ref?.kind === 'any')
  return isPin && target.commit === recorded.commit && target.tag === recorded.tag
    ? { kind: 'pinned' }
    : { kind: 'listed', ...target }
}

const checkNpm = async (spec: NpmSpec, _recorded: Resolved, context: FetchContext): Promise<UpdateCheck> => {
  if (spec.selector?.kind === 'version') return { kind: 'pinned' }
  const { npmVersionsNow } = await import('../fetch/npm/npm-versions.ts')
  return { kind: 'listed', ...(await npmVersionsNow(spec, context)), commit: null, tag: null }
}

const checkCatalog = async (spec: CatalogSpec, _recorded: Resolved, context: FetchContext): Promise<UpdateCheck> => {
  if (allowedRange(spec) === undefined) return { kind: 'pinned' }
  const { newestCatalogVersion } = await import('../fetch/catalog/fetch-catalog.ts')
  return { kind: 'fetch', newest: await newestCatalogVersion({ ...spec, range: null }, context) }
}

const UPDATE_CHECKERS = {
  git: checkGit,
  npm: checkNpm,
  catalog: checkCatalog,
  tarball: async () => ({ kind: 'fetch', newest: null }),
  local: async () => ({ kind: 'fetch', newest: null }),
} satisfies { readonly [K in SpecKind]: UpdateChecker<K> }

/**
 * The spec of a ledger entry, pinned to the commit or version that was installed, so that a fetch gives the same bytes.
 * @throws SPEC_*
 */
export const pinnedSpec = (
  { spec: text, resolved }: LedgerEntry,
  base: { readonly cwd: string; readonly home: string },
): Spec => {
  const spec = parseSpec(text, { ...base, allowHttp: true })
  switch (spec.kind) {
    case 'git':
      return resolved.commit === undefined ? spec : { ...spec, ref: { kind: 'sha', sha: resolved.commit } }
    case 'npm':
      return resolved.version === undefined ? spec : { ...spec, selector: { kind: 'version', text: resolved.version } }
    case 'catalog':
      return resolved.version === undefined ? spec : { ...spec, range: resolved.version }
    case 'tarball':
    case 'local':
      return spec
  }
}
