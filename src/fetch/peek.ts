import { GsdError } from '../errors.ts'
import type { CatalogSpec, GitSpec, NpmSpec, Spec, SpecKind } from '../spec/spec.ts'
import type { Resolved } from '../store/ledger-entry.ts'
import type { FetchContext } from './fetched.ts'
import { openRange } from './versions.ts'

/** What a source has now beside what was installed, as far as that can be seen without fetching it. */
export type Peek =
  | { readonly state: 'current' }
  | {
      readonly state: 'newer'
      /** Null where it is known by its commit only. */
      readonly version: string | null
      readonly tag: string | null
      readonly commit: string | null
      /** It is the tag that was installed, on another commit. */
      readonly moved: boolean
    }
  /** The spec names one content for good. `moved`: the commit its tag names now, where that is another one. */
  | { readonly state: 'pinned'; readonly moved: string | null }
  /** Nothing but fetching it would tell. */
  | { readonly state: 'manual' }
  /** A folder or file of this machine: it is looked at itself. */
  | { readonly state: 'local' }
  | { readonly state: 'unknown'; readonly error: GsdError }

/**
 * Asks a source what it has now; per kind what "newer" means (contract, `capability outdated`): the tags or the head of a
 * branch, the registry's versions and tags, the catalog. One that cannot be asked is `unknown`, with the reason.
 * @throws GsdError INTERRUPTED
 */
export const peek = async (spec: Spec, recorded: Resolved, context: FetchContext): Promise<Peek> => {
  try {
    return await (PEEKS[spec.kind] as Peeker)(spec, recorded, context)
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    return { state: 'unknown', error }
  }
}

type Peeker<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  recorded: Resolved,
  context: FetchContext,
) => Promise<Peek>

const PINNED: Peek = { state: 'pinned', moved: null }

/** A tag is a pin too, but one that can be moved, so it is looked at where somebody may be asked. */
const peekGit = async (spec: GitSpec, recorded: Resolved, context: FetchContext): Promise<Peek> => {
  if (spec.ref?.kind === 'sha') return PINNED
  const isPin = recorded.tag !== undefined && (spec.ref?.kind === 'tag' || spec.ref?.kind === 'any')
  if (isPin && context.offline) return PINNED
  const { peekTarget } = await import('./git/git-tags.ts')
  const { commit, tag, version } = await peekTarget(spec, context)
  if (isPin) return { state: 'pinned', moved: commit === recorded.commit ? null : commit }
  if (commit === recorded.commit) return { state: 'current' }
  return { state: 'newer', version, tag, commit, moved: tag !== null && tag === recorded.tag }
}

const peekNpm = async (spec: NpmSpec, recorded: Resolved, context: FetchContext): Promise<Peek> => {
  if (spec.selector?.kind === 'version') return PINNED
  const { newestInRegistry } = await import('./npm/npm-versions.ts')
  return byVersion(await newestInRegistry(spec, context), recorded)
}

const peekCatalog = async (spec: CatalogSpec, recorded: Resolved, context: FetchContext): Promise<Peek> => {
  if (openRange(spec) === undefined) return PINNED
  const { newestOf } = await import('./catalog/fetch-catalog.ts')
  return byVersion(await newestOf(spec, context), recorded)
}

const byVersion = (version: string, recorded: Resolved): Peek =>
  version === recorded.version
    ? { state: 'current' }
    : { state: 'newer', version, tag: null, commit: null, moved: false }

const PEEKS = {
  git: peekGit,
  npm: peekNpm,
  catalog: peekCatalog,
  tarball: async ({ at }) => (at.kind === 'file' ? { state: 'local' } : { state: 'manual' }),
  local: async () => ({ state: 'local' }),
} satisfies { readonly [K in SpecKind]: Peeker<K> }
