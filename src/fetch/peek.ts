import type { CatalogSpec, GitSpec, NpmSpec, Spec, SpecKind } from '../spec/spec.ts'
import type { Resolved } from '../store/ledger-entry.ts'
import type { FetchContext } from './fetched.ts'
import { openRange } from './versions.ts'

/** What a source has now, as far as that can be seen without fetching it. */
export type Peeked =
  /** The spec names one content for good. */
  | { readonly kind: 'pinned' }
  /** There is nothing that could say whether it changed, but fetching it. */
  | { readonly kind: 'manual' }
  /** A folder or file of this machine: it is looked at itself. */
  | { readonly kind: 'here' }
  | Seen

export interface Seen {
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
export const peek = async (spec: Spec, recorded: Resolved, context: FetchContext): Promise<Peeked> =>
  (PEEKS[spec.kind] as Peek)(spec, recorded, context)

type Peek<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  recorded: Resolved,
  context: FetchContext,
) => Promise<Peeked>

/** A tag is a pin too, but one that can be moved, so it is looked at where somebody can be asked. */
const peekGit = async (spec: GitSpec, recorded: Resolved, context: FetchContext): Promise<Peeked> => {
  const { ref } = spec
  if (ref?.kind === 'sha') return { kind: 'pinned' }
  const isRecordedTag = (ref?.kind === 'tag' || ref?.kind === 'any') && ref.name === recorded.tag
  if (context.offline && isRecordedTag) return { kind: 'pinned' }
  const { peekTarget } = await import('./git/git-tags.ts')
  const { commit, tag, version } = await peekTarget(spec, context)
  const isPin = tag !== null && (ref?.kind === 'tag' || ref?.kind === 'any')
  return isPin && commit === recorded.commit ? { kind: 'pinned' } : { kind: 'seen', version, commit, tag }
}

const peekNpm = async (spec: NpmSpec, _recorded: Resolved, context: FetchContext): Promise<Peeked> => {
  if (spec.selector?.kind === 'version') return { kind: 'pinned' }
  const { newestInRegistry } = await import('./npm/npm-versions.ts')
  return { kind: 'seen', version: await newestInRegistry(spec, context), commit: null, tag: null }
}

const peekCatalog = async (spec: CatalogSpec, _recorded: Resolved, context: FetchContext): Promise<Peeked> => {
  if (openRange(spec) === undefined) return { kind: 'pinned' }
  const { newestOf } = await import('./catalog/fetch-catalog.ts')
  return { kind: 'seen', version: await newestOf(spec, context), commit: null, tag: null }
}

const PEEKS = {
  git: peekGit,
  npm: peekNpm,
  catalog: peekCatalog,
  tarball: async ({ at }) => (at.kind === 'file' ? { kind: 'here' } : { kind: 'manual' }),
  local: async () => ({ kind: 'here' }),
} satisfies { readonly [K in SpecKind]: Peek<K> }
