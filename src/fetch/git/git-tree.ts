import type { TreeEntry, TreeSource } from '../../bundle/bundle.ts'
import { LIMITS } from '../../bundle/limits.ts'
import { isExcludedName } from '../../bundle/path-rules.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { fetchBlobs, refetchCommit } from './fetch-commit.ts'
import type { Git } from './git.ts'
import { type CommitTrees, readCommitTrees, sendObjects } from './read-objects.ts'

export interface CommitRequest {
  /** The source in messages. */
  readonly label: string
  /** Id of the commit, or of a tag of it. */
  readonly id: string
  /** The id must be that of the commit itself. */
  readonly isExact: boolean
  /** Subfolder whose contents are wanted; null: all of them. */
  readonly path: string | null
  /** Which contents were fetched already. */
  readonly present: 'all' | 'wanted' | 'none'
}

/** A commit's tree, without its submodules. */
export interface GitTree extends TreeSource {
  readonly commit: string
  readonly submodules: readonly string[]
  /** Reads the contents of the wanted folder and hashes them. @throws INTEGRITY_GIT_OBJECT, FETCH_GIT */
  verifyContents(): Promise<void>
}

/**
 * Reads a commit's tree and fetches missing contents of the wanted folder. Names and contents are read raw, so that no
 * setting or attribute changes them (security, "git"), and every object is hashed against its id (security, "Caches").
 * @throws FETCH_*, FETCH_NO_REF where the id is not that of a commit, INTEGRITY_GIT_OBJECT, ARCHIVE_UNSAFE
 */
export const openTree = async (git: Git, { label, id, isExact, path, present }: CommitRequest): Promise<GitTree> => {
  const commit = await readCommitTrees(git, { label, id, isExact, hasContents: present === 'all' })
  const { blobs, submodules } = listBlobs(label, commit)
  const sizes = new Map(commit.sizes)
  const blobOf = new Map<TreeEntry, Blob>(blobs.map((blob) => [blob, blob]))
  const oidsOf = (entries: readonly TreeEntry[]): readonly string[] =>
    entries.map((entry) => blobOf.get(entry)?.oid ?? '')
  const fetchMissing = async (oids: readonly string[]): Promise<void> => {
    if (oids.length > 0 && !(await fetchBlobs(git, oids))) await refetchCommit(git, commit.commit)
  }
  const wanted = new Set(oidsOf(blobs.filter((blob) => isNeeded(blob, path))))
  // A larger tree is refused later by its names.
  if (present === 'none' && wanted.size <= LIMITS.entries) await fetchMissing([...wanted])
  const wantedBlobs = (oids: readonly string[]) =>
    oids.map((name) => ({ name, type: 'blob' as const, size: sizes.get(name) ?? null }))
  return {
    displayName: label,
    commit: commit.commit,
    entries: blobs,
    submodules: submodules.filter((each) => path === null || each.startsWith(`${path}/`)),
    async fetchSizes(entries) {
      const oids = oidsOf(entries)
      const unknown = [...new Set(oids)].filter((oid) => !sizes.has(oid))
      if (present !== 'all') await fetchMissing(unknown.filter((oid) => !wanted.has(oid)))
      const measured = await measure(git, unknown)
      unknown.forEach((oid, at) => sizes.set(oid, measured[at] ?? NaN))
      return oids.map((oid) => sizes.get(oid) ?? NaN)
    },
    sendContents: (entries, sink) =>
      sendObjects(git, wantedBlobs(oidsOf(entries)), {
        begin: (index) => sink.begin(index),
        data: (chunk) => sink.data(chunk),
        end: () => sink.end(),
      }),
    verifyContents: () =>
      sendObjects(git, wantedBlobs([...wanted]), {
        begin: () => undefined,
        data: () => undefined,
        end: () => undefined,
      }),
  }
}

const isNeeded = ({ path, type }: Blob, folder: string | null): boolean =>
  type === 'file' && (folder === null || path.startsWith(`${folder}/`)) && !path.split('/').some(isExcludedName)

const measure = async (git: Git, oids: readonly string[]): Promise<readonly number[]> => {
  if (oids.length === 0) return []
  const input = oids.map((oid) => `${oid}\n`).join('')
  const output = await git.read(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { input })
  const sizes = output.toString('latin1').split('\n').slice(0, -1)
  if (sizes.length !== oids.length || !sizes.every((size) => /^\d+$/.test(size))) throw incomplete(git.url)
  return sizes.map(Number)
}

const incomplete = (url: string): GsdError =>
  new GsdError('INTEGRITY_GIT_OBJECT', `the cached objects of ${quote(url)} are incomplete`, {
    hint: 'gsd capability cache clean, then try again',
  })

/** A file or link of a commit. */
export interface Blob extends TreeEntry {
  readonly oid: string
}

/** Far above what any repository has; a tree can name itself often. */
const MAX_PATHS = 500_000

/** Every path of a commit but its folders, in the order of the trees. @throws ARCHIVE_TOO_LARGE */
export const listBlobs = (
  label: string,
  { root, trees }: Pick<CommitTrees, 'root' | 'trees'>,
): { readonly blobs: readonly Blob[]; readonly submodules: readonly string[] } => {
  const blobs: Blob[] = []
  const submodules: string[] = []
  let folders = 0
  const addTree = (tree: string, prefix: string, isUtf8: boolean): void => {
    folders += 1
    if (prefix.length > MAX_PATH_LENGTH || folders + blobs.length > MAX_PATHS) throw tooManyPaths(label)
    for (const { name, kind, executable, oid, ...entry } of trees.get(tree) ?? []) {
      const path = prefix + name
      const valid = isUtf8 && entry.isUtf8
      if (kind === 'tree') addTree(oid, `${path}/`, valid)
      else if (kind === 'submodule') submodules.push(path)
      else blobs.push({ path, isUtf8: valid, type: kind, executable, oid })
    }
  }
  addTree(root, '', true)
  return { blobs, submodules }
}

/** Characters; deeper trees would only cost time. */
const MAX_PATH_LENGTH = 32 * 1024

const tooManyPaths = (label: string): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(label)} has too many files or folders to list`, {
    hint: 'install a packed archive instead',
  })
