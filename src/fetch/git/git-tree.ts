import type { TreeEntry, TreeSource } from '../../bundle/bundle.ts'
import { LIMITS } from '../../bundle/limits.ts'
import { isExcludedName } from '../../bundle/path-rules.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { blobReader } from './blob-reader.ts'
import { fetchBlobs, refetchCommit } from './fetch-commit.ts'
import type { Git } from './git.ts'

export interface CommitRequest {
  /** The source in messages. */
  readonly label: string
  /** Id of the commit, or of a tag of it. */
  readonly commit: string
  /** Subfolder whose contents are wanted; null: all of them. */
  readonly path: string | null
  /** Which contents were fetched already. */
  readonly present: 'all' | 'wanted' | 'none'
}

/** A commit's tree, without its submodules. */
export interface GitTree extends TreeSource {
  readonly submodules: readonly string[]
}

/**
 * Lists a commit's tree and fetches missing contents of the wanted folder. Names and contents are read raw, so that no
 * setting or attribute changes them (security, "git").
 * @throws FETCH_*, FETCH_NO_REF where the id is not that of a commit
 */
export const openTree = async (git: Git, { label, commit, path, present }: CommitRequest): Promise<GitTree> => {
  const sizes = present === 'all' ? ['-l'] : []
  const { blobs, submodules } = parseTree(
    await git.read(['ls-tree', '-rz', ...sizes, '--full-tree', `${commit}^{commit}`]),
  )
  const blobOf = new Map<TreeEntry, Blob>(blobs.map((blob) => [blob, blob]))
  const oidsOf = (entries: readonly TreeEntry[]): readonly string[] =>
    entries.map((entry) => blobOf.get(entry)?.oid ?? '')
  const fetchMissing = async (oids: readonly string[]): Promise<void> => {
    if (oids.length > 0 && !(await fetchBlobs(git, oids))) await refetchCommit(git, commit)
  }
  const wanted = new Set(oidsOf(blobs.filter((blob) => isNeeded(blob, path))))
  // A larger tree is refused later by its names.
  if (present === 'none' && wanted.size <= LIMITS.entries) await fetchMissing([...wanted])
  return {
    displayName: label,
    entries: blobs,
    submodules: submodules.filter((each) => path === null || each.startsWith(`${path}/`)),
    async fetchSizes(entries) {
      if (present === 'all') return entries.map((entry) => blobOf.get(entry)?.size ?? NaN)
      const oids = oidsOf(entries)
      await fetchMissing([...new Set(oids)].filter((oid) => !wanted.has(oid)))
      return measure(git, oids)
    },
    async sendContents(entries, sink) {
      const reader = blobReader(sink)
      if (entries.length > 0) {
        await git.read(['cat-file', '--batch', '--buffer'], { input: asLines(oidsOf(entries)), onStdout: reader.write })
      }
      if (reader.count() !== entries.length) throw incomplete(git.url)
    },
  }
}

const isNeeded = ({ path, type }: Blob, folder: string | null): boolean =>
  type === 'file' && (folder === null || path.startsWith(`${folder}/`)) && !path.split('/').some(isExcludedName)

const measure = async (git: Git, oids: readonly string[]): Promise<readonly number[]> => {
  if (oids.length === 0) return []
  const output = await git.read(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { input: asLines(oids) })
  const sizes = output.toString('latin1').split('\n').slice(0, -1)
  if (sizes.length !== oids.length || !sizes.every((size) => /^\d+$/.test(size))) throw incomplete(git.url)
  return sizes.map(Number)
}

const asLines = (oids: readonly string[]): string => oids.map((oid) => `${oid}\n`).join('')

const incomplete = (url: string): GsdError =>
  new GsdError('FETCH_GIT', `the cached objects of ${quote(url)} are incomplete`, {
    hint: 'gsd capability cache clean, then try again',
  })

/** A file or link of a commit. */
export interface Blob extends TreeEntry {
  readonly oid: string
  /** Bytes; null where it was not requested. */
  readonly size: number | null
}

export interface ParsedTree {
  readonly blobs: readonly Blob[]
  /** Paths of submodules; a tree holds only their names. */
  readonly submodules: readonly string[]
}

const SUBMODULE = '160000'

/** File kinds by the first digits of the mode; a tree's modes are octal. */
const TYPES: ReadonlyMap<string, TreeEntry['type']> = new Map([
  ['100', 'file'],
  ['120', 'symlink'],
])

/** Parses the output of `git ls-tree -rz [-l]`: `<mode> SP <type> SP <oid> [blanks <size>] TAB <path> NUL`. */
export const parseTree = (output: Buffer): ParsedTree => {
  const blobs: Blob[] = []
  const submodules: string[] = []
  for (let at = 0; at < output.length;) {
    const tab = output.indexOf(0x09, at)
    const end = output.indexOf(0x00, tab)
    const [mode = '', , oid = '', size = '-'] = output.toString('latin1', at, tab).split(/ +/)
    if (tab === -1 || end === -1 || !/^[0-9a-f]{40}$/.test(oid)) {
      throw new GsdError('FETCH_GIT', 'git lists the tree in an unknown format')
    }
    const bytes = output.subarray(tab + 1, end)
    const path = bytes.toString('utf8')
    if (mode === SUBMODULE) submodules.push(path)
    else {
      blobs.push({
        path,
        isUtf8: Buffer.from(path).equals(bytes),
        type: TYPES.get(mode.slice(0, 3)) ?? 'other',
        executable: (Number.parseInt(mode, 8) & 0o100) !== 0,
        oid,
        size: /^\d+$/.test(size) ? Number(size) : null,
      })
    }
    at = end + 1
  }
  return { blobs, submodules }
}
