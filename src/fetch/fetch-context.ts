import { dirname } from 'node:path'
import type { Context } from '../context.ts'
import { readUserConfig } from '../state/config/user-config.ts'
import { catalogHashes } from './catalog/catalog-hashes.ts'
import type { FetchContext, RemoteConfig } from './fetcher.ts'

/** What a command decides about its fetches. */
export interface FetchOptions extends Pick<FetchContext, 'scopeRoots' | 'allowHttp' | 'checkPolicy'> {
  readonly expectedIntegrity?: string | null
  readonly pinnedCommit?: string | null
}

/** What the fetches of one command share. */
interface FetchMemory {
  config: RemoteConfig | null
  readonly loadedCatalogs: FetchContext['loadedCatalogs']
}

const createFetchMemory = (): FetchMemory => ({ config: null, loadedCatalogs: new Map() })

/** The context of a command's fetches. Faults of the user's configuration are reported when it is read first. */
export const makeFetchContext = (context: Context, options: FetchOptions): FetchContext => {
  const { disk, home, signal, env, cache, offline, fetchTimeout, report } = context
  const memory = context.memory.once(createFetchMemory)
  return {
    disk,
    home,
    signal,
    env,
    cache,
    offline,
    fetchTimeout,
    report,
    expectedIntegrity: null,
    pinnedCommit: null,
    viaCatalog: null,
    ...options,
    catalogHashes: catalogHashes(context),
    loadedCatalogs: memory.loadedCatalogs,
    config: () => (memory.config ??= readRemoteConfig(context)),
  }
}

const readRemoteConfig = ({ user, report }: Context): RemoteConfig => {
  const { auth, catalogs, diagnostics } = readUserConfig(user.config)
  for (const diagnostic of diagnostics) report({ kind: 'warning', diagnostic })
  return { auth, catalogs, folder: dirname(user.config) }
}
