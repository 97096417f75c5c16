import type { GitSpec } from '../../spec/spec.ts'
import type { FetchContext } from '../fetched.ts'
import { refuseOffline } from '../offline.ts'
import { openRemote } from './open-remote.ts'
import { namesOf } from './remote-refs.ts'
import { discard, folderOfUrl, makeRepository } from './repository.ts'
import { remoteRefs } from './resolve.ts'
import { versionTags, type VersionTag } from './version-tags.ts'

/** The tags of a repository that name versions of the wanted bundle, newest first. @throws GsdError FETCH_*, POLICY_* */
export const gitTags = async (spec: GitSpec, context: FetchContext): Promise<readonly VersionTag[]> => {
  refuseOffline(context, spec.url, 'its tags can only be asked for without --offline')
  const gitDir = makeRepository(context.disk, folderOfUrl(context.cache, spec.url))
  try {
    const git = await openRemote(context, { url: spec.url, gitDir })
    return versionTags(namesOf(await remoteRefs(git, context), 'refs/tags/'), spec.path)
  } finally {
    discard(context.disk, gitDir)
  }
}
