import { GsdError } from '../../errors.ts'
import type { ProcessResult } from '../../platform/process.ts'
import { quote } from '../../redact.ts'
import type { GitTarget } from './choose-ref.ts'
import { isShallowRefused, isFilterIgnored, isMissingRef, isCommitIdRefused, isCommitIdUnknown } from './git-error.ts'
import type { Git } from './git.ts'
import { parseRemoteRefs, type RemoteRefs } from './remote-refs.ts'

const FETCH_ARGS = [
  'fetch',
  '--progress',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
]
const NO_BLOBS_ARG = '--filter=blob:none'

/** The output of `git ls-remote --symref` for the url. @throws FETCH_* */
export const listRefs = async (git: Git): Promise<string> => {
  const ran = await git.contact('list', (url) => ['ls-remote', '--symref', '--end-of-options', url])
  if (ran.status !== 0) throw git.error(ran)
  return ran.stdout.toString('utf8')
}

/**
 * Fetches exactly one commit, without history. Where the server refuses that, it fetches the ref of the commit, or, for a
 * commit without a ref, the history of all refs.
 * @param withoutBlobs fetches trees only; the contents of the wanted part follow
 * @returns false where contents are missing. @throws FETCH_*
 */
export const fetchCommit = async (git: Git, target: GitTarget, withoutBlobs: boolean): Promise<boolean> => {
  const filter = withoutBlobs ? [NO_BLOBS_ARG] : []
  const exact = await git.contact('fetch', (url) => [
    ...FETCH_ARGS,
    '--depth=1',
    ...filter,
    '--end-of-options',
    url,
    target.oid,
  ])
  if (exact.status === 0) return !withoutBlobs || isFilterIgnored(exact.stderr)
  const { stderr } = exact
  if (isShallowRefused(stderr)) return fetchHistory(git, target, exact)
  if (!isCommitIdRefused(stderr) && !isCommitIdUnknown(stderr)) throw git.error(exact)
  const ref = target.ref ?? refNameOf(target.commit, parseRemoteRefs(await listRefs(git)))
  if (ref !== null) return fetchRef(git, ref, target)
  if (isCommitIdRefused(stderr)) return fetchHistory(git, target, exact)
  throw commitNotFound(git.url, target.commit)
}

/** Fetches a tag by its name, without listing all refs first. Null where it does not exist. @throws FETCH_* */
export const fetchTag = async (
  git: Git,
  tag: string,
  withoutBlobs: boolean,
): Promise<{ readonly complete: boolean } | null> => {
  const options = ['--write-fetch-head', '--depth=1', ...(withoutBlobs ? [NO_BLOBS_ARG] : []), '--end-of-options']
  const ran = await git.contact('fetch', (url) => [...FETCH_ARGS, ...options, url, `refs/tags/${tag}`])
  if (ran.status === 0) return { complete: !withoutBlobs || isFilterIgnored(ran.stderr) }
  if (isMissingRef(ran.stderr) || isShallowRefused(ran.stderr)) return null
  throw git.error(ran)
}

/** Fetches contents by id in one request. False where the server does not support that. @throws FETCH_* */
export const fetchBlobs = async (git: Git, oids: readonly string[]): Promise<boolean> => {
  const noop = ['-c', 'fetch.negotiationAlgorithm=noop']
  const args = (url: string) => [...noop, ...FETCH_ARGS, NO_BLOBS_ARG, '--stdin', '--end-of-options', url]
  const ran = await git.contact('fetch', args, `${oids.join('\n')}\n`)
  if (ran.status === 0) return true
  if (isCommitIdRefused(ran.stderr) || isCommitIdUnknown(ran.stderr)) return false
  throw git.error(ran)
}

/** Fetches a commit again, with all contents. @throws FETCH_* */
export const refetchCommit = async (git: Git, oid: string): Promise<void> => {
  const more = ['--depth=1', '--refetch', '--no-filter', '--end-of-options']
  const ran = await git.contact('fetch', (url) => [...FETCH_ARGS, ...more, url, oid])
  if (ran.status !== 0) throw git.error(ran)
}

const refNameOf = (commit: string, { refs }: RemoteRefs): string | null =>
  [...refs.values()].find((ref) => ref.commit === commit)?.name ?? null

/** A branch or tag may have moved since it was listed. */
const fetchRef = async (git: Git, ref: string, target: GitTarget): Promise<true> => {
  const ran = await git.contact('fetch', (url) => [...FETCH_ARGS, '--depth=1', '--end-of-options', url, ref])
  if (ran.status !== 0) throw git.error(ran)
  await expectCommit(git, target.commit)
  return true
}

const fetchHistory = async (git: Git, target: GitTarget, refused: ProcessResult): Promise<true> => {
  const all = ['+refs/heads/*:refs/gsd/heads/*', '+refs/tags/*:refs/gsd/tags/*']
  const ran = await git.contact('fetch', (url) => [...FETCH_ARGS, '--end-of-options', url, ...all])
  if (ran.status !== 0) throw git.error(isShallowRefused(refused.stderr) ? ran : refused)
  await expectCommit(git, target.commit)
  return true
}

const expectCommit = async (git: Git, commit: string): Promise<void> => {
  try {
    await git.read(['cat-file', '-e', `${commit}^{commit}`])
  } catch (error) {
    if (error instanceof GsdError && error.code === 'INTERRUPTED') throw error
    throw commitNotFound(git.url, commit)
  }
}

const commitNotFound = (url: string, commit: string): GsdError =>
  new GsdError('FETCH_NO_REF', `${quote(url)} has no commit ${commit}, or does not serve it`, {
    hint: 'check it with git ls-remote; a commit must be pushed, and reachable from a branch or tag',
  })
