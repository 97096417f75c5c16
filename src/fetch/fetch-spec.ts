import type { Spec, SpecKind } from '../spec/spec.ts'
import { fetchTarball } from './fetch-tarball.ts'
import type { FetchContext, FetchResult, Fetcher } from './fetcher.ts'
import { fetchLocal } from './local-source.ts'

/**
 * Fetches the source that a spec names and checks nothing in it. Writes only to the cache.
 * @throws GsdError `FETCH_*`, `SPEC_*`, `ARCHIVE_TOO_LARGE`, `ARCHIVE_NOT_GZIP`, `INTEGRITY_*`, `POLICY_*`, `STATE_*`,
 *   `INTERRUPTED`
 */
export const fetchSpec = async (spec: Spec, context: FetchContext): Promise<FetchResult> => {
  const fetcher = FETCHERS[spec.kind] as Fetcher
  return fetcher(spec, context)
}

const FETCHERS = {
  git: async (spec, context) => (await import('./git/fetch-git.ts')).fetchGit(spec, context),
  npm: async (spec, context) => (await import('./npm/fetch-npm.ts')).fetchNpm(spec, context),
  tarball: fetchTarball,
  local: fetchLocal,
  catalog: async (spec, context) => (await import('./catalog/fetch-catalog.ts')).fetchCatalog(spec, context, fetchSpec),
} satisfies { readonly [K in SpecKind]: Fetcher<K> }
