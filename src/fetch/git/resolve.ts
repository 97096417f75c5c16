import { join } from 'node:path'
import type { GitRef, GitSpec } from '../../spec/spec.ts'
import { readKept, tryToKeep } from '../cache/keep-file.ts'
import type { FetchContext } from '../fetched.ts'
import { listRefs } from './bring-commit.ts'
import { chooseRef, type Target } from './choose-ref.ts'
import type { Git } from './git.ts'
import { parseRemoteRefs, type RemoteRefs } from './remote-refs.ts'
import { folderOfUrl } from './repository.ts'

/** The commit that a spec means now. @throws FETCH_* */
export const resolveTarget = async (spec: GitSpec, git: Git, context: FetchContext): Promise<Target> =>
  spec.ref?.kind === 'sha' ? pinned(spec.ref) : chooseRef({ ...spec, ref: spec.ref }, await remoteRefs(git, context))

/** All refs of a repository, which are remembered for when nobody can be asked. @throws FETCH_* */
export const remoteRefs = async (git: Git, { disk, cache }: FetchContext): Promise<RemoteRefs> => {
  const text = await listRefs(git)
  tryToKeep(disk, memoryOf(cache, git.url), Buffer.from(text))
  return parseRemoteRefs(text)
}

/**
 * The commit that a spec means without asking anybody: of a pinned one, or of a tag that was seen. Branches and ranges
 * move, so of them nothing is recalled.
 */
export const recallTarget = (spec: GitSpec, { disk, cache }: FetchContext): Target | null => {
  if (spec.ref?.kind === 'sha') return pinned(spec.ref)
  if (spec.ref?.kind !== 'tag' && spec.ref?.kind !== 'any') return null
  const seen = readKept(disk, memoryOf(cache, spec.url))
  if (seen === null) return null
  const refs = parseRemoteRefs(seen.toString('utf8'))
  return refs.refs.has(`refs/tags/${spec.ref.name}`) ? chooseRef({ ...spec, ref: spec.ref }, refs) : null
}

/** True where refs of the repository were seen before. */
export const recallsRefs = (url: string, { disk, cache }: FetchContext): boolean =>
  readKept(disk, memoryOf(cache, url)) !== null

/** Remembers one tag of a repository, in the form of a list. */
export const rememberTag = (url: string, { tag, oid, commit }: Target, { disk, cache }: FetchContext): void => {
  const name = `refs/tags/${tag ?? ''}`
  tryToKeep(disk, memoryOf(cache, url), Buffer.from(`${oid}\t${name}\n${commit}\t${name}^{}\n`))
}

const memoryOf = (cache: string, url: string): string => join(folderOfUrl(cache, url), 'refs')

const pinned = ({ sha }: Extract<GitRef, { readonly kind: 'sha' }>): Target => ({
  commit: sha,
  oid: sha,
  ref: null,
  tag: null,
  notes: [],
})
