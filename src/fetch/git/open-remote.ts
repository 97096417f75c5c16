import type { FetchContext } from '../fetcher.ts'
import { parseGitConfig, resolveRemote } from './git-remote.ts'
import { openGit, readGitConfig, type Git } from './git.ts'

/**
 * git for a url, once policy let in the host that it really contacts. The user's git configuration is only asked where
 * something depends on it. @throws GsdError POLICY_*, FETCH_NO_GIT, FETCH_GIT
 */
export const openRemote = async (
  context: FetchContext,
  at: { readonly url: string; readonly gitDir: string },
): Promise<Git> => {
  const { checkPolicy, viaCatalog } = context
  const plain = /^(?:https?|file):/.test(at.url)
  const asks = checkPolicy !== null || !plain || context.config().auth.size > 0
  const settings = asks ? parseGitConfig(await readGitConfig(context, at)) : []
  const remote = resolveRemote(at.url, settings, context)
  if (remote.host !== null) checkPolicy?.({ kind: 'host', host: remote.host, catalog: viaCatalog })
  return openGit(context, { ...at, remote })
}
