import type { FetchContext } from '../fetch/fetcher.ts'
import type { CatalogSpec, GitSpec, NpmSpec, Spec, SpecKind } from '../spec/spec.ts'
import type { Resolved } from '../state/ledger.ts'
import { allowedRange } from './list-versions.ts'

/** What a source has now, as far as that can be seen without fetching it. */
export type UpdateCheck =
  /** The spec names one content for good. */
  | { readonly kind: 'pinned' }
  /** There is nothing that could say whether it changed, but fetching it. */
  | { readonly kind: 'manual' }
  /** A folder or file of this machine: it is looked at itself. */
  | { readonly kind: 'here' }
  | SourceVersion

export interface SourceVersion {
  readonly kind: 'seen'
  /** Version that it offers now; null where it is known by its commit only. */
  readonly version: string | null
  readonly commit: string | null
  readonly tag: string | null
}

/**
 * Asks a source what it has now; per kind what "newer" means (contract, `capability outdated`): the tags or the head of a
 * branch, the registry's versions and tags, the catalog.
 * @throws GsdError FETCH_*, POLICY_*, INTERRUPTED
 */
export const checkForUpdates = async (spec: Spec, recorded: Resolved, context: FetchContext): Promise<UpdateCheck> =>
  (UPDATE_CHECKERS[spec.kind] as UpdateChecker)(spec, recorded, context)

type UpdateChecker<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  recorded: Resolved,
  context: FetchContext,
) => Promise<UpdateCheck>

/** A tag is a pin too, but one that can be moved, so it is looked at where somebody can be asked. */
const checkGit = async (spec: GitSpec, recorded: Resolved, context: FetchContext): Promise<UpdateCheck> => {
  const { ref } = spec
  if (ref?.kind === 'sha') return { kind: 'pinned' }
  const isRecordedTag = (ref?.kind === 'tag' || ref?.kind === 'any') && ref.name === recorded.tag
  if (context.offline && isRecordedTag) return { kind: 'pinned' }
  const { currentTarget: peekTarget } = await import('../fetch/git/list-remote.ts')
  const { commit, tag, version } = await peekTarget(spec, context)
  const isPin = tag !== null && (ref?.kind === 'tag' || ref?.kind === 'any')
  return isPin && commit === recorded.commit ? { kind: 'pinned' } : { kind: 'seen', version, commit, tag }
}

const checkNpm = async (spec: NpmSpec, _recorded: Resolved, context: FetchContext): Promise<UpdateCheck> => {
  if (spec.selector?.kind === 'version') return { kind: 'pinned' }
  const { newestNpmVersion: newestInRegistry } = await import('../fetch/npm/npm-versions.ts')
  return { kind: 'seen', version: await newestInRegistry(spec, context), commit: null, tag: null }
}

const checkCatalog = async (spec: CatalogSpec, _recorded: Resolved, context: FetchContext): Promise<UpdateCheck> => {
  if (allowedRange(spec) === undefined) return { kind: 'pinned' }
  const { newestCatalogVersion: newestOf } = await import('../fetch/catalog/fetch-catalog.ts')
  return { kind: 'seen', version: await newestOf(spec, context), commit: null, tag: null }
}

const UPDATE_CHECKERS = {
  git: checkGit,
  npm: checkNpm,
  catalog: checkCatalog,
  tarball: async ({ at }) => (at.kind === 'file' ? { kind: 'here' } : { kind: 'manual' }),
  local: async () => ({ kind: 'here' }),
} satisfies { readonly [K in SpecKind]: UpdateChecker<K> }
