import type { DiagnosticCode } from '../diagnostic.ts'
import { errnoOf } from '../errors.ts'
import { quote } from '../redact.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { StatTracker } from './cache/stat-tracker.ts'

/** A folder that may hold a capability, or what keeps it from being looked into. */
export interface FoundFolder {
  /** Name of the folder; the id of the capability, if it is one. */
  readonly folder: string
  /** With links followed, where that is allowed. */
  readonly dir: string
  readonly refusal: FolderRefusal | null
}

export interface FolderRefusal {
  readonly code: DiagnosticCode
  /** A clause or sentence: `its folder is a link to nothing`. */
  readonly reason: string
}

export interface Discovery {
  readonly folders: readonly FoundFolder[]
  /** Why the folder as a whole cannot be looked into. */
  readonly refusal: FolderRefusal | null
}

const NO_FOLDERS: Discovery = { folders: [], refusal: null }

/**
 * Lists the bundle folders of a scope, by name. Where the scope may come from a repository, a link in place of `.gsd`,
 * `capabilities` or a bundle folder is refused; in the user's own home links are the user's (contract, "Files").
 */
export const discoverBundles = (tracker: StatTracker, paths: ScopePaths): Discovery => {
  for (const folder of [paths.gsd, paths.capabilities]) {
    const stat = tracker.lstat(folder)
    if (stat === 'ENOENT' || stat === 'ENOTDIR') return NO_FOLDERS
    if (typeof stat !== 'string' && stat.isSymbolicLink() && !paths.trusted)
      return refuseFolder('OVERLAY_LINKED', folder, 'is a link, which a project must not have there')
  }
  return listFolders(tracker, paths.capabilities, { links: paths.trusted })
}

/** Lists the folders in a folder, by name. Files and hidden entries are no capabilities and are passed over. */
export const listFolders = (tracker: StatTracker, parent: string, options: { readonly links: boolean }): Discovery => {
  const dir = followLink(tracker, parent)
  const stat = dir === null ? 'ENOENT' : tracker.lstat(dir)
  if (dir === null || stat === 'ENOENT') return NO_FOLDERS
  if (typeof stat === 'string') return refuseFolder('OVERLAY_UNREADABLE', parent, `cannot be read (${stat})`)
  if (!stat.isDirectory()) return refuseFolder('OVERLAY_UNREADABLE', parent, 'is not a folder')
  try {
    const entries = tracker.list(dir).filter((entry) => !entry.name.startsWith('.'))
    const found = entries.flatMap((entry): FoundFolder[] => {
      const place = `${parent}/${entry.name}`
      if (entry.isDirectory()) return [{ folder: entry.name, dir: place, refusal: null }]
      return entry.isSymbolicLink() ? resolveLinkedFolder(tracker, entry.name, place, options.links) : []
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

const resolveLinkedFolder = (tracker: StatTracker, folder: string, place: string, allowed: boolean): FoundFolder[] => {
  if (!allowed)
    return [
      {
        folder,
        dir: place,
        refusal: { code: 'OVERLAY_LINKED', reason: 'its folder is a link, which a project must not have there' },
      },
    ]
  const target = followLink(tracker, place)
  const stat = target === null ? 'ENOENT' : tracker.lstat(target)
  if (target === null || typeof stat === 'string')
    return [{ folder, dir: place, refusal: { code: 'OVERLAY_UNREADABLE', reason: 'its folder is a link to nothing' } }]
  return stat.isDirectory() ? [{ folder, dir: target, refusal: null }] : []
}

/** A path, or where it leads if it is a link. */
const followLink = (tracker: StatTracker, place: string): string | null => {
  const stat = tracker.lstat(place)
  return typeof stat === 'string' || !stat.isSymbolicLink() ? place : tracker.realpath(place)
}

const byFolderName = (a: FoundFolder, b: FoundFolder): number =>
  a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0
