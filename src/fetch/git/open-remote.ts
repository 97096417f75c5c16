import type { FetchContext } from '../fetched.ts'
import { openGit, readSettings, type Git } from './git.ts'
import { parseSettings, reachOf } from './reach.ts'

/**
 * git for a url, once policy let in the host that it really contacts. The user's git configuration is only asked where
 * something depends on it. @throws GsdError POLICY_*, FETCH_NO_GIT, FETCH_GIT
 */
export const openRemote = async (
  context: FetchContext,
  at: { readonly url: string; readonly gitDir: string },
): Promise<Git> => {
  const { allow, catalog } = context
  const plain = /^(?:https?|file):/.test(at.url)
  const asks = allow !== null || !plain || context.config().auth.size > 0
  const settings = asks ? parseSettings(await readSettings(context, at)) : []
  const reach = reachOf(at.url, settings, context)
  if (reach.host !== null) allow?.({ kind: 'host', host: reach.host, catalog })
  return openGit(context, { ...at, reach })
}
