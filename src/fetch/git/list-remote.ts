import type { GitSpec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetcher.ts'
import { refuseOffline } from '../offline.ts'
import { chooseRef } from './choose-ref.ts'
import { openRemote } from './open-remote.ts'
import { shortNames, type RemoteRefs } from './remote-refs.ts'
import { discardRepository, folderOfUrl, makeRepository } from './repository.ts'
import { listRemoteRefs } from './resolve-target.ts'
import { versionTags, type VersionTag } from './version-tags.ts'

/** The tags of a repository that name versions of the wanted bundle, newest first. @throws GsdError FETCH_*, POLICY_* */
export const gitTags = async (spec: GitSpec, context: FetchContext): Promise<readonly VersionTag[]> =>
  versionTags(shortNames(await fetchRefs(spec, context), 'refs/tags/'), spec.path)

/** What a spec means now, without fetching it. The version is that of its tag, where it is a tag that names one. */
export const currentTarget = async (
  spec: GitSpec,
  context: FetchContext,
): Promise<{ readonly commit: string; readonly tag: string | null; readonly version: string | null }> => {
  const { ref } = spec
  if (ref?.kind === 'sha') return { commit: ref.sha, tag: null, version: null }
  const { commit, tag } = chooseRef({ ...spec, ref }, await fetchRefs(spec, context))
  const version = tag === null ? null : (versionTags([tag], spec.path)[0]?.version ?? null)
  return { commit, tag, version }
}

const fetchRefs = async (spec: GitSpec, context: FetchContext): Promise<RemoteRefs> => {
  refuseOffline(context, spec.url, 'its tags and branches can only be asked for without --offline')
  const gitDir = makeRepository(context.disk, folderOfUrl(context.cache, spec.url))
  try {
    return await listRemoteRefs(await openRemote(context, { url: spec.url, gitDir }), context)
  } finally {
    discardRepository(context.disk, gitDir)
  }
}
