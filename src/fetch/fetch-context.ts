import { dirname } from 'node:path'
import type { Context } from '../context.ts'
import { readUserConfig } from '../state/config/user-config.ts'
import type { FetchContext, PolicyCheck, RemoteConfig } from './fetcher.ts'

/** What a command says of the fetches it makes. */
export interface FetchOptions {
  /** Real paths of the `.gsd` folders that are about to change. */
  readonly scopeRoots: readonly string[]
  readonly allowHttp: boolean
  /** Canonical integrity that the artifact must have, where it is known before the fetch. */
  readonly expectedIntegrity?: string | null
  /** Commit at which a repository that a catalog leads to was, where a ledger says so. */
  readonly pinnedCommit?: string | null
  /** Policy; default: nothing is restricted. */
  readonly checkPolicy?: PolicyCheck | null
}

/** A command's world as its fetches see it. Of the user's configuration, what is malformed is reported when it is read. */
export const makeFetchContext = (context: Context, request: FetchOptions): FetchContext => {
  const { disk, home, signal, env, cache, offline, report } = context
  const memory = sharedStateOf(context)
  return {
    disk,
    home,
    signal,
    env,
    cache,
    offline,
    report,
    scopeRoots: request.scopeRoots,
    allowHttp: request.allowHttp,
    expectedIntegrity: request.expectedIntegrity ?? null,
    checkPolicy: request.checkPolicy ?? null,
    viaCatalog: null,
    pinnedCommit: request.pinnedCommit ?? null,
    loadedCatalogs: memory.loadedCatalogs,
    config: () => (memory.config ??= readRemoteConfig(context)),
  }
}

/** What all fetches of one command share. */
interface SharedState {
  config: RemoteConfig | null
  readonly loadedCatalogs: FetchContext['loadedCatalogs']
}

const SHARED_STATES = new WeakMap<Context, SharedState>()

const sharedStateOf = (context: Context): SharedState => {
  const memory = SHARED_STATES.get(context) ?? { config: null, loadedCatalogs: new Map() }
  SHARED_STATES.set(context, memory)
  return memory
}

const readRemoteConfig = ({ user, report }: Context): RemoteConfig => {
  const { auth, catalogs, diagnostics } = readUserConfig(user.config)
  for (const diagnostic of diagnostics) report({ kind: 'warning', diagnostic })
  return { auth, catalogs, folder: dirname(user.config) }
}
