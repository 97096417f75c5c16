import type { DiagnosticCode } from '../diagnostic.ts'
import { errnoOf } from '../errors.ts'
import { quote } from '../redact.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { Witness } from './witness.ts'

/** A folder that may hold a capability, or what keeps it from being looked into. */
export interface Found {
  /** Name of the folder; the id of the capability, if it is one. */
  readonly folder: string
  /** With links followed, where that is allowed. */
  readonly dir: string
  readonly refused: Refused | null
}

export interface Refused {
  readonly code: DiagnosticCode
  /** A clause or sentence: `its folder is a link to nothing`. */
  readonly reason: string
}

export interface Discovery {
  readonly found: readonly Found[]
  /** Why the folder as a whole cannot be looked into. */
  readonly refused: Refused | null
}

const NOTHING: Discovery = { found: [], refused: null }

/**
 * Lists the bundle folders of a scope, by name. Where the scope may come from a repository, a link in place of `.gsd`,
 * `capabilities` or a bundle folder is refused; in the user's own home links are the user's (contract, "Files").
 */
export const discover = (witness: Witness, places: ScopePlaces): Discovery => {
  for (const folder of [places.gsd, places.capabilities]) {
    const look = witness.lstat(folder)
    if (look === 'ENOENT' || look === 'ENOTDIR') return NOTHING
    if (typeof look !== 'string' && look.isSymbolicLink() && !places.trusted)
      return refusedWhole('OVERLAY_LINKED', folder, 'is a link, which a project must not have there')
  }
  return listFolders(witness, places.capabilities, { links: places.trusted })
}

/** Lists the folders in a folder, by name. Files and hidden entries are no capabilities and are passed over. */
export const listFolders = (witness: Witness, parent: string, options: { readonly links: boolean }): Discovery => {
  const dir = targetOf(witness, parent)
  const look = dir === null ? 'ENOENT' : witness.lstat(dir)
  if (dir === null || look === 'ENOENT') return NOTHING
  if (typeof look === 'string') return refusedWhole('OVERLAY_UNREADABLE', parent, `cannot be read (${look})`)
  if (!look.isDirectory()) return refusedWhole('OVERLAY_UNREADABLE', parent, 'is not a folder')
  try {
    const entries = witness.list(dir).filter((entry) => !entry.name.startsWith('.'))
    const found = entries.flatMap((entry): Found[] => {
      const place = `${parent}/${entry.name}`
      if (entry.isDirectory()) return [{ folder: entry.name, dir: place, refused: null }]
      return entry.isSymbolicLink() ? linked(witness, entry.name, place, options.links) : []
    })
    return { found: found.sort(byFolder), refused: null }
  } catch (error) {
    return refusedWhole('OVERLAY_UNREADABLE', parent, `cannot be read (${errnoOf(error) ?? 'EIO'})`)
  }
}

const refusedWhole = (code: DiagnosticCode, folder: string, what: string): Discovery => ({
  found: [],
  refused: { code, reason: `${quote(folder)} ${what}` },
})

const linked = (witness: Witness, folder: string, place: string, allowed: boolean): Found[] => {
  if (!allowed)
    return [
      {
        folder,
        dir: place,
        refused: { code: 'OVERLAY_LINKED', reason: 'its folder is a link, which a project must not have there' },
      },
    ]
  const target = targetOf(witness, place)
  const look = target === null ? 'ENOENT' : witness.lstat(target)
  if (target === null || typeof look === 'string')
    return [{ folder, dir: place, refused: { code: 'OVERLAY_UNREADABLE', reason: 'its folder is a link to nothing' } }]
  return look.isDirectory() ? [{ folder, dir: target, refused: null }] : []
}

/** A path, or where it leads if it is a link. */
const targetOf = (witness: Witness, place: string): string | null => {
  const look = witness.lstat(place)
  return typeof look === 'string' || !look.isSymbolicLink() ? place : witness.realpath(place)
}

const byFolder = (a: Found, b: Found): number => (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0)
