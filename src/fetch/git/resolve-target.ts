import { join } from 'node:path'
import type { GitRef, GitSpec } from '../../spec/spec.ts'
import { readChecked, tryWriteChecked } from '../cache/cache-file.ts'
import type { FetchContext } from '../fetcher.ts'
import { chooseRef, type GitTarget } from './choose-ref.ts'
import { listRefs } from './fetch-commit.ts'
import type { Git } from './git.ts'
import { parseRemoteRefs, type RemoteRefs } from './remote-refs.ts'
import { folderOfUrl } from './repository.ts'

/** The commit that a spec means now. @throws FETCH_* */
export const resolveTarget = async (spec: GitSpec, git: Git, context: FetchContext): Promise<GitTarget> =>
  spec.ref?.kind === 'sha'
    ? pinnedTarget(spec.ref)
    : chooseRef({ ...spec, ref: spec.ref }, await listRemoteRefs(git, context))

/** All refs of a repository, which are remembered for when nobody can be asked. @throws FETCH_* */
export const listRemoteRefs = async (git: Git, { disk, cache }: FetchContext): Promise<RemoteRefs> => {
  const text = await listRefs(git)
  tryWriteChecked(disk, refsPath(cache, git.url), Buffer.from(text))
  return parseRemoteRefs(text)
}

/**
 * The commit that a spec means without asking anybody: of a pinned one, or of a tag that was seen. Branches and ranges
 * move, so of them nothing is recalled.
 */
export const findCachedTarget = (spec: GitSpec, { disk, cache }: FetchContext): GitTarget | null => {
  if (spec.ref?.kind === 'sha') return pinnedTarget(spec.ref)
  if (spec.ref?.kind !== 'tag' && spec.ref?.kind !== 'any') return null
  const seen = readChecked(disk, refsPath(cache, spec.url))
  if (seen === null) return null
  const refs = parseRemoteRefs(seen.toString('utf8'))
  return refs.refs.has(`refs/tags/${spec.ref.name}`) ? chooseRef({ ...spec, ref: spec.ref }, refs) : null
}

/** True where refs of the repository were seen before. */
export const hasCachedRefs = (url: string, { disk, cache }: FetchContext): boolean =>
  readChecked(disk, refsPath(cache, url)) !== null

/** Remembers one tag of a repository, in the form of a list. */
export const cacheTag = (url: string, { tag, oid, commit }: GitTarget, { disk, cache }: FetchContext): void => {
  const name = `refs/tags/${tag ?? ''}`
  tryWriteChecked(disk, refsPath(cache, url), Buffer.from(`${oid}\t${name}\n${commit}\t${name}^{}\n`))
}

const refsPath = (cache: string, url: string): string => join(folderOfUrl(cache, url), 'refs')

const pinnedTarget = ({ sha }: Extract<GitRef, { readonly kind: 'sha' }>): GitTarget => ({
  commit: sha,
  oid: sha,
  ref: null,
  tag: null,
  notes: [],
})
