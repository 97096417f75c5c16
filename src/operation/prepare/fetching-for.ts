import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { fetchContextOf } from '../../fetch/fetch-context.ts'
import type { FetchContext } from '../../fetch/fetched.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { policyJudge } from '../../trust/policy.ts'
import { policyOf } from './policy-of.ts'

export interface FetchingRequest {
  readonly allowHttp: boolean
  /** Canonical integrity that the artifact must have, where it is known before the fetch. */
  readonly expected?: string | null
  /** Commit at which a repository that a catalog leads to was, where a ledger says so. */
  readonly commit?: string | null
}

/**
 * How the sources of a scope are fetched, and asked what they have: not from the folders that are about to change, and
 * only where policy lets in.
 */
export const fetchingFor = (
  context: Context,
  places: ScopePlaces,
  { allowHttp, expected = null, commit = null }: FetchingRequest,
): FetchContext => {
  const policy = policyOf(context)
  const roots = [join(places.realRoot, '.gsd'), context.user.gsd]
  return fetchContextOf(context, {
    roots,
    allowHttp,
    expected,
    commit,
    allow: policy.lists.length === 0 ? null : policyJudge(policy),
  })
}
