import { join } from 'node:path'
import type { GitRef, GitSpec } from '../../spec/spec.ts'
import { readChecked, tryWriteChecked } from '../cache/cache-file.ts'
import type { FetchContext } from '../fetcher.ts'
import { refuseOffline } from '../offline.ts'
import { chooseRef, type GitTarget } from './choose-ref.ts'
import { listRefs } from './fetch-commit.ts'
import type { Git } from './git.ts'
import { openRemote } from './git.ts'
import { newestTag, parseRemoteRefs, type RemoteRefs, shortNames, type VersionTag, versionTags } from './remote-refs.ts'
import { discardRepository, folderOfUrl, makeRepository } from './repository.ts'

/** The commit that a spec selects now. @throws FETCH_* */
export const resolveTarget = async (spec: GitSpec, git: Git, context: FetchContext): Promise<GitTarget> =>
  spec.ref?.kind === 'sha'
    ? pinnedTarget(spec.ref)
    : chooseRef({ ...spec, ref: spec.ref }, await listRemoteRefs(git, context))

/** All refs of a repository; they are cached for offline use. @throws FETCH_* */
export const listRemoteRefs = async (git: Git, { disk, cache }: FetchContext): Promise<RemoteRefs> => {
  const text = await listRefs(git)
  tryWriteChecked(disk, { cache, file: refsPath(cache, git.url) }, Buffer.from(text))
  return parseRemoteRefs(text)
}

/**
 * The commit that a spec selects without network access: a pinned one, or that of a cached tag. Branches and ranges change,
 * so they are not looked up.
 */
export const findCachedTarget = (spec: GitSpec, { disk, cache }: FetchContext): GitTarget | null => {
  if (spec.ref?.kind === 'sha') return pinnedTarget(spec.ref)
  if (spec.ref?.kind !== 'tag' && spec.ref?.kind !== 'any') return null
  const seen = readChecked(disk, { cache, file: refsPath(cache, spec.url) })
  if (seen === null) return null
  const refs = parseRemoteRefs(seen.toString('utf8'))
  return refs.refs.has(`refs/tags/${spec.ref.name}`) ? chooseRef({ ...spec, ref: spec.ref }, refs) : null
}

/** Whether refs of the repository are cached. */
export const hasCachedRefs = (url: string, { disk, cache }: FetchContext): boolean =>
  readChecked(disk, { cache, file: refsPath(cache, url) }) !== null

/** Caches one tag of a repository, in the format of a list. */
export const cacheTag = (url: string, { tag, oid, commit }: GitTarget, { disk, cache }: FetchContext): void => {
  const name = `refs/tags/${tag ?? ''}`
  tryWriteChecked(disk, { cache, file: refsPath(cache, url) }, Buffer.from(`${oid}\t${name}\n${commit}\t${name}^{}\n`))
}

const refsPath = (cache: string, url: string): string => join(folderOfUrl(cache, url), 'refs')

const pinnedTarget = ({ sha }: Extract<GitRef, { readonly kind: 'sha' }>): GitTarget => ({
  commit: sha,
  oid: sha,
  ref: null,
  tag: null,
  notes: [],
})

/** The version tags of the wanted bundle, newest first. @throws GsdError FETCH_*, POLICY_* */
export const gitTags = async (spec: GitSpec, context: FetchContext): Promise<readonly VersionTag[]> =>
  versionTags(shortNames(await fetchRefs(spec, context), 'refs/tags/'), spec.path)

/** What a spec selects now, without fetching it; the version where its tag names one. */
export const currentTarget = async (spec: GitSpec, context: FetchContext): Promise<CurrentTarget> => {
  const { ref } = spec
  if (ref?.kind === 'sha') return { commit: ref.sha, tag: null, version: null, newest: null }
  const refs = await fetchRefs(spec, context)
  const { commit, tag } = chooseRef({ ...spec, ref }, refs)
  const version = tag === null ? null : (versionTags([tag], spec.path)[0]?.version ?? null)
  const newest = newestTag(versionTags(shortNames(refs, 'refs/tags/'), spec.path), null)?.version ?? null
  return { commit, tag, version, newest }
}

/** A commit, the tag it was found by and the version in that tag; `newest` is the newest version among all tags. */
interface CurrentTarget {
  readonly commit: string
  readonly tag: string | null
  readonly version: string | null
  readonly newest: string | null
}

const fetchRefs = async (spec: GitSpec, context: FetchContext): Promise<RemoteRefs> => {
  refuseOffline(context, spec.url, 'listing tags and branches needs the network: run it without --offline')
  const gitDir = makeRepository(context, spec.url)
  try {
    return await listRemoteRefs(await openRemote(context, { url: spec.url, gitDir }), context)
  } finally {
    discardRepository(context.disk, gitDir)
  }
}
