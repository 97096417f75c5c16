import { GsdError } from '../../errors.ts'
import { httpGet } from '../../platform/http/get.ts'
import type { FetchContext } from '../fetcher.ts'

const REFS_PATH = '/info/refs'

/**
 * Where a repository's server sends those who ask for it, or null where that cannot be found out. Every host on the way is
 * judged before it is contacted. @throws GsdError POLICY_*, INTERRUPTED
 */
export const redirectedUrl = async (url: string, context: FetchContext): Promise<string | null> => {
  if (!/^https?:/.test(url)) return null
  try {
    const answer = await httpGet({ url: `${url}${REFS_PATH}?service=git-upload-pack`, accept: '*/*' }, context)
    answer.body.destroy()
    const { origin, pathname } = answer.url
    return pathname.endsWith(REFS_PATH) ? `${origin}${pathname.slice(0, -REFS_PATH.length)}` : null
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED' || error.code.startsWith('POLICY_')) throw error
    return null
  }
}
