import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errnoOf, GsdError } from '../../errors.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import { removeTree } from '../../platform/folders.ts'
import { quote } from '../../redact.ts'
import { formatSpec } from '../../spec/format-spec.ts'
import type { GitSpec } from '../../spec/spec.ts'
import type { FetchContext, FetchResult } from '../fetcher.ts'
import { checkOverlap, readSource } from '../local-source.ts'
import { PIN_FIRST_HINT, refuseOffline } from '../offline.ts'
import type { GitTarget } from './choose-ref.ts'
import { fetchCommit, fetchTag } from './fetch-commit.ts'
import { type GitTree, openTree } from './git-tree.ts'
import type { Git } from './git.ts'
import { openRemote } from './git.ts'
import {
  discardRepository,
  finishRepository,
  folderOfCommit,
  folderOfUrl,
  isKeptRepository,
  makeRepository,
} from './repository.ts'
import { cacheTag, findCachedTarget, hasCachedRefs, resolveTarget } from './resolve-target.ts'

/**
 * Fetches a commit into the cache: resolve the ref → fetch exactly that commit → list its tree. A cached commit is not
 * fetched again, since it never changes; refs are resolved each time.
 * @throws GsdError FETCH_*, POLICY_*, ARCHIVE_TOO_LARGE, STATE_*, INTERRUPTED
 */
export const fetchGit = async (spec: GitSpec, context: FetchContext): Promise<FetchResult> => {
  checkLocalOverlap(spec.url, context)
  const cachedTarget = spec.ref?.kind === 'sha' || context.offline ? findCachedTarget(spec, context) : null
  const kept = cachedTarget === null ? null : await openCached(spec, cachedTarget, context)
  if (cachedTarget !== null && kept !== null) {
    const found = resultOf(spec, cachedTarget, kept)
    return spec.ref?.kind === 'sha' ? found : { ...found, isRemembered: true }
  }
  refuseOffline(context, formatSpec(spec), PIN_FIRST_HINT)
  const gitDir = makeRepository(context, spec.url)
  try {
    return await fetchInto(gitDir, spec, context)
  } finally {
    discardRepository(context.disk, gitDir)
  }
}

const fetchInto = async (gitDir: string, spec: GitSpec, context: FetchContext): Promise<FetchResult> => {
  const { report } = context
  report({ kind: 'progress', text: `git: contacting ${spec.url}` })
  const git = await openRemote(context, { url: spec.url, gitDir })
  const tagged = await fetchLikelyTag(gitDir, git, spec, context)
  if (tagged !== null) return tagged
  const target = await resolveTarget(spec, git, context)
  const kept = await openCached(spec, target, context)
  if (kept !== null) return resultOf(spec, target, kept)
  report({ kind: 'progress', text: `git: fetching ${spec.url}` })
  const complete = await fetchCommit(git, target, spec.path !== null)
  // The folder gets its final name after all contents are fetched, so that a named one is complete.
  const tree = await openTree(git, { ...treeRequest(spec, target), present: complete ? 'all' : 'none' })
  git.setKept(finishRepository(context, gitDir, folderOfCommit(target.commit, spec.path)))
  return resultOf(spec, target, tree)
}

/**
 * Fetches a ref that looks like a tag directly, which saves listing all refs. Not where refs are cached: then the list may
 * save the fetch. Null where it was not tried, or there is no such tag.
 */
const fetchLikelyTag = async (
  gitDir: string,
  git: Git,
  spec: GitSpec,
  context: FetchContext,
): Promise<FetchResult | null> => {
  const { ref, url, path } = spec
  const isTag = ref?.kind === 'tag' || (ref?.kind === 'any' && /\d\.\d/.test(ref.name))
  if (!isTag || hasCachedRefs(url, context)) return null
  const fetched = await fetchTag(git, ref.name, path !== null)
  if (fetched === null) return null
  const { disk } = context
  const head = join(gitDir, 'FETCH_HEAD')
  const oid = withDiskErrors('read', head, () => disk.readFileSync(head)).toString('latin1', 0, 40)
  const present = fetched.complete ? 'all' : 'none'
  const tree = await openTree(git, { label: formatSpec(spec), id: oid, isExact: false, path, present })
  const { commit } = tree
  const target: GitTarget = { commit, oid, ref: `refs/tags/${ref.name}`, tag: ref.name, notes: [] }
  cacheTag(url, target, context)
  git.setKept(finishRepository(context, gitDir, folderOfCommit(commit, path)))
  return resultOf(spec, target, tree)
}

/** A cached commit, or null. A damaged one is deleted. */
const openCached = async (spec: GitSpec, target: GitTarget, context: FetchContext): Promise<GitTree | null> => {
  for (const { kept, contents: present } of cachedRepositories(spec, target, context)) {
    const git = await openRemote(context, { url: spec.url, kept })
    const tree = await nullIfDamaged(async () => {
      const opened = await openTree(git, { ...treeRequest(spec, target), present })
      await opened.verifyContents()
      return opened
    })
    if (tree !== null) return tree
    if (!context.offline) removeTree(context.disk, kept)
  }
  return null
}

/** A cached repository was complete once, so any failure of git to read it means damage. */
const nullIfDamaged = async <T>(work: () => Promise<T>): Promise<T | null> => {
  try {
    return await work()
  } catch (error) {
    if (errnoOf(error) !== undefined || (error instanceof GsdError && !NOT_DAMAGE.has(error.code))) return null
    throw error
  }
}

const NOT_DAMAGE: ReadonlySet<string> = new Set([
  'FETCH_NO_GIT',
  'FETCH_TIMEOUT',
  'INTERRUPTED',
  'ARCHIVE_TOO_LARGE',
  'ARCHIVE_UNSAFE',
  'STATE_CACHE_UNSAFE',
])

/** A complete commit serves any of its folders. */
const cachedRepositories = ({ url, path }: GitSpec, { commit }: GitTarget, { disk, cache }: FetchContext) => {
  const at = (part: string | null): string => join(folderOfUrl(cache, url), folderOfCommit(commit, part))
  const kept = [
    { kept: at(null), contents: 'all' as const },
    ...(path === null ? [] : [{ kept: at(path), contents: 'wanted' as const }]),
  ]
  return kept.filter((each) => isKeptRepository(disk, cache, each.kept))
}

const treeRequest = (spec: GitSpec, { commit }: GitTarget) => ({
  label: formatSpec(spec),
  id: commit,
  isExact: true,
  path: spec.path,
})

const resultOf = (spec: GitSpec, { commit, tag, notes }: GitTarget, tree: GitTree): FetchResult => ({
  source: { kind: 'tree', tree },
  path: spec.path,
  resolved: {
    kind: 'git',
    url: spec.url,
    commit,
    ...(tag === null ? {} : { tag }),
    ...(spec.path === null ? {} : { path: spec.path }),
  },
  statedIntegrities: [],
  notes: [...notes, ...tree.submodules.map((path) => `${quote(path)} is a submodule and is not installed`)],
})

/** A local repository may be inside the folder that it is installed into. */
const checkLocalOverlap = (url: string, { disk, scopeRoots }: FetchContext): void => {
  if (!url.startsWith('file:')) return
  const sourceText = fileURLToPath(url)
  checkOverlap(disk, {
    source: readSource(disk, sourceText, () => disk.realpathSync(sourceText)),
    sourceText,
    roots: scopeRoots,
  })
}
