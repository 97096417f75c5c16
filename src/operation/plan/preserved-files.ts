import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { Disk } from '../../platform/disk.ts'
import { pathExists } from '../../platform/disk.ts'
import type { Change } from '../../state/change.ts'
import type { InstalledCapability } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import type { StagedCopy } from '../../transaction/fill-staging.ts'

/** Files of an installed bundle that survive its replacement. */
export interface PreservedFiles {
  /** Copied into the operation's staging folder first. */
  readonly copies: readonly StagedCopy[]
  readonly changes: readonly Change[]
  /** Folder with copies of the user's edits, relative to the scope root; null if there are none. */
  readonly keptIn: string | null
}

/**
 * Files that a capability created stay in its folder. Files the user edited are copied to `.gsd/kept/<id>-<hash>/`.
 *
 * @param fresh the files that replace the old ones
 */
export const planPreservedFiles = (
  disk: Disk,
  paths: ScopePaths,
  { id, dir, tree }: InstalledCapability,
  { fresh, keep }: { readonly fresh: readonly BundleFile[]; readonly keep: boolean },
): PreservedFiles => {
  if (tree === null) return NONE
  const { changed = [], lineEndings = [], extra = [] } = tree.drift ?? {}
  const taken = new Set(fresh.map(({ path }) => path))
  const foreign = conflictingFiles(extra, fresh)
  const exists = extra.filter((file) => !taken.has(file.path) && !foreign.includes(file))
  const carried = exists.map(({ path }) => ({ from: join(dir, path), to: `capabilities/${id}/${path}` }))
  if (!keep) return { ...NONE, copies: carried }
  const isEdited = (file: BundleFile): boolean => !tree.notExecutable.includes(file) && !lineEndings.includes(file)
  const edited = tree.drift === null ? tree.files : [...changed.filter(isEdited), ...foreign]
  const target = `kept/${id}-${hashOf(edited)}`
  if (edited.length === 0 || pathExists(disk, join(paths.gsd, target))) return { ...NONE, copies: carried }
  return {
    copies: [...carried, ...edited.map(({ path }) => ({ from: join(dir, path), to: `${target}/${path}` }))],
    changes: [{ kind: 'swap', target, from: target, replaces: false }],
    keptIn: `.gsd/${target}`,
  }
}

const NONE: PreservedFiles = { copies: [], changes: [], keptIn: null }

/** The same content gets the same name, so it is kept once. */
const hashOf = (files: readonly BundleFile[]): string => {
  const hash = createHash('sha256')
  for (const { path, sha512 } of files) hash.update(`${path}\0${sha512}\n`)
  return hash.digest('hex').slice(0, 12)
}

/**
 * Files in the way of new ones with other content: under the same path, as a file where a folder is needed, or in a folder
 * where a file is needed.
 */
export const conflictingFiles = (files: readonly BundleFile[], fresh: readonly BundleFile[]): readonly BundleFile[] => {
  const taken = new Map(fresh.map((file) => [file.path, file]))
  const folders = new Set(fresh.flatMap(({ path }) => foldersAbove(path)))
  return files.filter((file) => {
    const other = taken.get(file.path)
    if (other !== undefined) return other.sha512 !== file.sha512
    return folders.has(file.path) || foldersAbove(file.path).some((folder) => taken.has(folder))
  })
}

const foldersAbove = (path: string): string[] => {
  const folder = posix.dirname(path)
  return folder === '.' ? [] : [...foldersAbove(folder), folder]
}
