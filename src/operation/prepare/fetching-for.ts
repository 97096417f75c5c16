import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { fetchContextOf } from '../../fetch/fetch-context.ts'
import type { FetchContext } from '../../fetch/fetched.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { policyJudge } from '../../trust/policy.ts'
import { policyOf } from './policy-of.ts'

/**
 * How the sources of a scope are fetched, and asked what they have: not from the folders that are about to change, and
 * only where policy lets in.
 *
 * @param expected canonical integrity that the artifact must have, where it is known before the fetch
 */
export const fetchingFor = (
  context: Context,
  places: ScopePlaces,
  { allowHttp, expected = null }: { readonly allowHttp: boolean; readonly expected?: string | null },
): FetchContext => {
  const policy = policyOf(context)
  const roots = [join(places.realRoot, '.gsd'), context.user.gsd]
  return fetchContextOf(context, {
    roots,
    allowHttp,
    expected,
    allow: policy.lists.length === 0 ? null : policyJudge(policy),
  })
}
