import type { DiagnosticCode } from '../diagnostic.ts'
import { errnoOf } from '../errors.ts'
import { quote } from '../redact.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { StatTracker } from './cache/stat-tracker.ts'

/** A folder that may contain a capability, or why it is not read. */
export interface FoundFolder {
  /** Name of the folder, which is the id of the capability. */
  readonly folder: string
  /** Its path; the target of a link, where links are allowed. */
  readonly dir: string
  readonly refusal: FolderRefusal | null
}

export interface FolderRefusal {
  readonly code: DiagnosticCode
  /** A clause or sentence: `its folder is a broken link`. */
  readonly reason: string
}

export interface Discovery {
  readonly folders: readonly FoundFolder[]
  /** Why the parent folder is not read. */
  readonly refusal: FolderRefusal | null
}

const NO_FOLDERS: Discovery = { folders: [], refusal: null }

/**
 * Lists the bundle folders of a scope, sorted by name. In a scope that may come from a repository, `.gsd`, `capabilities` and
 * bundle folders must not be links; in the user's own home they may (contract, "Files").
 */
export const discoverBundles = (tracker: StatTracker, paths: ScopePaths): Discovery => {
  for (const folder of [paths.gsd, paths.capabilities]) {
    const stat = tracker.lstat(folder)
    if (stat === 'ENOENT' || stat === 'ENOTDIR') return NO_FOLDERS
    if (typeof stat !== 'string' && stat.isSymbolicLink() && !paths.trusted)
      return refuseFolder('OVERLAY_LINKED', folder, 'is a link, which is not allowed in a project')
  }
  return listFolders(tracker, paths.capabilities, { links: paths.trusted })
}

/** Lists the folders in a folder, sorted by name. Files and hidden entries are ignored. */
export const listFolders = (tracker: StatTracker, parent: string, options: { readonly links: boolean }): Discovery => {
  const dir = followLink(tracker, parent)
  const stat = dir === null ? 'ENOENT' : tracker.lstat(dir)
  if (dir === null || stat === 'ENOENT') return NO_FOLDERS
  if (typeof stat === 'string') return refuseFolder('OVERLAY_UNREADABLE', parent, `cannot be read (${stat})`)
  if (!stat.isDirectory()) return refuseFolder('OVERLAY_UNREADABLE', parent, 'is not a folder')
  try {
    const entries = tracker.list(dir).filter((entry) => !entry.name.startsWith('.'))
    const found = entries.flatMap((entry): FoundFolder[] => {
      const path = `${parent}/${entry.name}`
      if (entry.isDirectory()) return [{ folder: entry.name, dir: path, refusal: null }]
      return entry.isSymbolicLink() ? resolveLinkedFolder(tracker, entry.name, path, options.links) : []
    })
    return { folders: found.sort(byFolderName), refusal: null }
  } catch (error) {
    return refuseFolder('OVERLAY_UNREADABLE', parent, `cannot be read (${errnoOf(error) ?? 'EIO'})`)
  }
}

const refuseFolder = (code: DiagnosticCode, folder: string, what: string): Discovery => ({
  folders: [],
  refusal: { code, reason: `${quote(folder)} ${what}` },
})

const resolveLinkedFolder = (tracker: StatTracker, folder: string, path: string, allowed: boolean): FoundFolder[] => {
  if (!allowed)
    return [
      {
        folder,
        dir: path,
        refusal: { code: 'OVERLAY_LINKED', reason: 'its folder is a link, which is not allowed in a project' },
      },
    ]
  const target = followLink(tracker, path)
  const stat = target === null ? 'ENOENT' : tracker.lstat(target)
  if (target === null || typeof stat === 'string')
    return [{ folder, dir: path, refusal: { code: 'OVERLAY_UNREADABLE', reason: 'its folder is a broken link' } }]
  return stat.isDirectory() ? [{ folder, dir: target, refusal: null }] : []
}

/** The path, or the target of a link; null for a broken link. */
const followLink = (tracker: StatTracker, path: string): string | null => {
  const stat = tracker.lstat(path)
  return typeof stat === 'string' || !stat.isSymbolicLink() ? path : tracker.realpath(path)
}

const byFolderName = (a: FoundFolder, b: FoundFolder): number =>
  a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0
