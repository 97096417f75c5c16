import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Ran } from '../run-program.ts'
import type { Target } from './choose-ref.ts'
import { isDepthRefusal, isFilterIgnored, isNoRef, isShaRefusal, isUnknownSha } from './git-fault.ts'
import type { Git } from './git.ts'
import { parseRemoteRefs, type RemoteRefs } from './remote-refs.ts'

const FETCH = [
  'fetch',
  '--progress',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
]
const NO_BLOBS = '--filter=blob:none'

/** What `git ls-remote --symref` prints for the url. @throws FETCH_* */
export const listRefs = async (git: Git): Promise<string> => {
  const ran = await git.contact('list', (url) => ['ls-remote', '--symref', '--end-of-options', url])
  if (ran.status !== 0) throw git.fault(ran)
  return ran.stdout.toString('utf8')
}

/**
 * Fetches exactly the wanted commit, without history. Only where the server refuses that, more is fetched: the ref that
 * leads there, or, for a commit that no ref leads to, the history of all refs.
 * @param withoutBlobs asks for names only; contents come later, for the wanted part
 * @returns false where contents are missing. @throws FETCH_*
 */
export const bringCommit = async (git: Git, target: Target, withoutBlobs: boolean): Promise<boolean> => {
  const filter = withoutBlobs ? [NO_BLOBS] : []
  const exact = await git.contact('fetch', (url) => [
    ...FETCH,
    '--depth=1',
    ...filter,
    '--end-of-options',
    url,
    target.oid,
  ])
  if (exact.status === 0) return !withoutBlobs || isFilterIgnored(exact.stderr)
  const { stderr } = exact
  if (isDepthRefusal(stderr)) return bringHistory(git, target, exact)
  if (!isShaRefusal(stderr) && !isUnknownSha(stderr)) throw git.fault(exact)
  const ref = target.ref ?? refOf(target.commit, parseRemoteRefs(await listRefs(git)))
  if (ref !== null) return bringRef(git, ref, target)
  if (isShaRefusal(stderr)) return bringHistory(git, target, exact)
  throw noCommit(git.url, target.commit)
}

/** Fetches a tag by its name, without asking for all refs first. Null where there is none. @throws FETCH_* */
export const bringTag = async (
  git: Git,
  tag: string,
  withoutBlobs: boolean,
): Promise<{ readonly complete: boolean } | null> => {
  const options = ['--write-fetch-head', '--depth=1', ...(withoutBlobs ? [NO_BLOBS] : []), '--end-of-options']
  const ran = await git.contact('fetch', (url) => [...FETCH, ...options, url, `refs/tags/${tag}`])
  if (ran.status === 0) return { complete: !withoutBlobs || isFilterIgnored(ran.stderr) }
  if (isNoRef(ran.stderr) || isDepthRefusal(ran.stderr)) return null
  throw git.fault(ran)
}

/** Fetches contents by their ids, all in one. False where the server does not serve them so. @throws FETCH_* */
export const bringBlobs = async (git: Git, oids: readonly string[]): Promise<boolean> => {
  const noop = ['-c', 'fetch.negotiationAlgorithm=noop']
  const args = (url: string) => [...noop, ...FETCH, NO_BLOBS, '--stdin', '--end-of-options', url]
  const ran = await git.contact('fetch', args, `${oids.join('\n')}\n`)
  if (ran.status === 0) return true
  if (isShaRefusal(ran.stderr) || isUnknownSha(ran.stderr)) return false
  throw git.fault(ran)
}

/** Fetches a commit once more, with all contents. @throws FETCH_* */
export const bringAgain = async (git: Git, oid: string): Promise<void> => {
  const more = ['--depth=1', '--refetch', '--no-filter', '--end-of-options']
  const ran = await git.contact('fetch', (url) => [...FETCH, ...more, url, oid])
  if (ran.status !== 0) throw git.fault(ran)
}

const refOf = (commit: string, { refs }: RemoteRefs): string | null =>
  [...refs.values()].find((ref) => ref.commit === commit)?.name ?? null

/** A branch or tag may have moved since it was listed. */
const bringRef = async (git: Git, ref: string, target: Target): Promise<true> => {
  const ran = await git.contact('fetch', (url) => [...FETCH, '--depth=1', '--end-of-options', url, ref])
  if (ran.status !== 0) throw git.fault(ran)
  await expectCommit(git, target.commit)
  return true
}

const bringHistory = async (git: Git, target: Target, refused: Ran): Promise<true> => {
  const all = ['+refs/heads/*:refs/gsd/heads/*', '+refs/tags/*:refs/gsd/tags/*']
  const ran = await git.contact('fetch', (url) => [...FETCH, '--end-of-options', url, ...all])
  if (ran.status !== 0) throw git.fault(isDepthRefusal(refused.stderr) ? ran : refused)
  await expectCommit(git, target.commit)
  return true
}

const expectCommit = async (git: Git, commit: string): Promise<void> => {
  try {
    await git.read(['cat-file', '-e', `${commit}^{commit}`])
  } catch (error) {
    if (error instanceof GsdError && error.code === 'INTERRUPTED') throw error
    throw noCommit(git.url, commit)
  }
}

const noCommit = (url: string, commit: string): GsdError =>
  new GsdError('FETCH_NO_REF', `${quote(url)} has no commit ${commit}, or does not give it out`, {
    hint: 'check it with git ls-remote; a commit has to be pushed, and reachable from a branch or tag',
  })
