import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import { loadFromRequest } from '../../overlay/load-registry.ts'
import type { LoadedRegistry } from '../../overlay/loaded-registry.ts'
import { scopesOf } from '../../state/config/resolve-paths.ts'

export interface InstalledFolders {
  /** Folders of the active overlays by id. */
  readonly folders: ReadonlyMap<string, string>
  readonly warnings: readonly Diagnostic[]
}

/** Loads the registry of both scopes and writes nothing, no cache either. */
export const loadReadOnly = (context: Context): Promise<LoadedRegistry> =>
  loadFromRequest(
    {
      user: context.user,
      scopes: scopesOf(context),
      hostVersion: context.hostVersion,
      firstParty: context.firstParty,
      cache: null,
      usesSnapshot: false,
      now: context.now,
    },
    context.memory,
  )

/** Folders of the capabilities whose skills may be read: active ones that were installed. */
export const installedFolders = async (context: Context): Promise<InstalledFolders> => {
  const { registry, warnings } = await loadReadOnly(context)
  return { folders: foldersOf(registry), warnings }
}

export const foldersOf = ({
  capabilities,
}: Pick<LoadedRegistry['registry'], 'capabilities'>): ReadonlyMap<string, string> =>
  new Map([...capabilities].flatMap(([id, { dir }]) => (dir === null ? [] : [[id, dir] as const])))
