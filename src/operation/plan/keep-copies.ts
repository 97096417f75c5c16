import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { Disk } from '../../store/disk.ts'
import { isThere } from '../../store/is-there.ts'
import type { Change } from '../../store/journal-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import type { Installed } from '../installed/installed.ts'
import type { StagedCopy } from '../transaction/commit.ts'
import { inTheWay } from './in-the-way.ts'

/** What of an installed bundle outlives its replacement. */
export interface Survivors {
  /** Copied into the operation's staging folder first. */
  readonly copies: readonly StagedCopy[]
  readonly changes: readonly Change[]
  /** Folder in which the user's edits are kept, relative to the scope root; null when there are none. */
  readonly keptIn: string | null
}

/**
 * Files that a capability made in its folder stay there. Files the user edited are kept in `.gsd/kept/<id>-<hash>/`.
 *
 * @param fresh the files that take the place of the old ones
 */
export const survivorsOf = (
  disk: Disk,
  places: ScopePlaces,
  { id, dir, tree }: Installed,
  { fresh, keep }: { readonly fresh: readonly BundleFile[]; readonly keep: boolean },
): Survivors => {
  if (tree === null) return NONE
  const { changed = [], extra = [] } = tree.drift ?? {}
  const taken = new Set(fresh.map(({ path }) => path))
  const foreign = inTheWay(extra, fresh)
  const stays = extra.filter((file) => !taken.has(file.path) && !foreign.includes(file))
  const carried = stays.map(({ path }) => ({ from: join(dir, path), to: `capabilities/${id}/${path}` }))
  if (!keep) return { ...NONE, copies: carried }
  const edited = tree.drift === null ? tree.files : [...changed.filter((file) => !tree.dull.includes(file)), ...foreign]
  const target = `kept/${id}-${hashOf(edited)}`
  if (edited.length === 0 || isThere(disk, join(places.gsd, target))) return { ...NONE, copies: carried }
  return {
    copies: [...carried, ...edited.map(({ path }) => ({ from: join(dir, path), to: `${target}/${path}` }))],
    changes: [{ kind: 'swap', target, from: target, replaces: false }],
    keptIn: `.gsd/${target}`,
  }
}

const NONE: Survivors = { copies: [], changes: [], keptIn: null }

/** One content has one name, so that keeping it twice keeps it once. */
const hashOf = (files: readonly BundleFile[]): string => {
  const hash = createHash('sha256')
  for (const { path, sha512 } of files) hash.update(`${path}\0${sha512}\n`)
  return hash.digest('hex').slice(0, 12)
}
