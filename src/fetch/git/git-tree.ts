import { isLeftOut } from '../../bundle/left-out.ts'
import { LIMITS } from '../../bundle/limits.ts'
import type { TreeEntry, TreeSource } from '../../bundle/tree-source.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { blobReader } from './blob-reader.ts'
import { bringAgain, bringBlobs } from './bring-commit.ts'
import type { Git } from './git.ts'
import { parseTree, type Blob } from './parse-tree.ts'

export interface Commit {
  /** As it stands in messages. */
  readonly named: string
  /** Id of the commit, or of a tag that leads to it. */
  readonly commit: string
  /** Subfolder whose contents are wanted; null: all of them. */
  readonly path: string | null
  /** Which contents are here already. */
  readonly contents: 'all' | 'wanted' | 'none'
}

/** A commit's tree, and the submodules that are no part of it. */
export interface GitTree extends TreeSource {
  readonly submodules: readonly string[]
}

/**
 * Lists a commit's tree and brings the wanted contents here, where only names are. Names and contents are read raw, so
 * that nothing in or around the repository changes them (security, "git").
 * @throws FETCH_*, FETCH_NO_REF where the id is no commit's
 */
export const openTree = async (git: Git, { named, commit, path, contents }: Commit): Promise<GitTree> => {
  const sizes = contents === 'all' ? ['-l'] : []
  const { blobs, submodules } = parseTree(
    await git.read(['ls-tree', '-rz', ...sizes, '--full-tree', `${commit}^{commit}`]),
  )
  const blobOf = new Map<TreeEntry, Blob>(blobs.map((blob) => [blob, blob]))
  const oidsOf = (entries: readonly TreeEntry[]): readonly string[] =>
    entries.map((entry) => blobOf.get(entry)?.oid ?? '')
  const bring = async (oids: readonly string[]): Promise<void> => {
    if (oids.length > 0 && !(await bringBlobs(git, oids))) await bringAgain(git, commit)
  }
  const wanted = new Set(oidsOf(blobs.filter((blob) => isWanted(blob, path))))
  // A tree of more files is refused later, by its names alone.
  if (contents === 'none' && wanted.size <= LIMITS.entries) await bring([...wanted])
  return {
    named,
    entries: blobs,
    submodules: submodules.filter((each) => path === null || each.startsWith(`${path}/`)),
    async measure(entries) {
      if (contents === 'all') return entries.map((entry) => blobOf.get(entry)?.size ?? NaN)
      const oids = oidsOf(entries)
      await bring([...new Set(oids)].filter((oid) => !wanted.has(oid)))
      return measure(git, oids)
    },
    async read(entries, sink) {
      const reader = blobReader(sink)
      if (entries.length > 0) {
        await git.read(['cat-file', '--batch', '--buffer'], { input: asLines(oidsOf(entries)), take: reader.take })
      }
      if (reader.count() !== entries.length) throw incomplete(git.url)
    },
  }
}

const isWanted = ({ path, type }: Blob, folder: string | null): boolean =>
  type === 'file' && (folder === null || path.startsWith(`${folder}/`)) && !path.split('/').some(isLeftOut)

const measure = async (git: Git, oids: readonly string[]): Promise<readonly number[]> => {
  if (oids.length === 0) return []
  const output = await git.read(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { input: asLines(oids) })
  const sizes = output.toString('latin1').split('\n').slice(0, -1)
  if (sizes.length !== oids.length || !sizes.every((size) => /^\d+$/.test(size))) throw incomplete(git.url)
  return sizes.map(Number)
}

const asLines = (oids: readonly string[]): string => oids.map((oid) => `${oid}\n`).join('')

const incomplete = (url: string): GsdError =>
  new GsdError('FETCH_GIT', `the cached objects of ${quote(url)} are not all there`, {
    hint: 'gsd capability cache clean, then try again',
  })
