import { dirname } from 'node:path'
import { readUserConfig } from '../config/user-config.ts'
import type { Context } from '../context.ts'
import type { FetchContext, Judge, RemoteConfig } from './fetched.ts'

/** What a command says of the fetches it makes. */
export interface FetchRequest {
  /** Real paths of the `.gsd` folders that are about to change. */
  readonly roots: readonly string[]
  readonly allowHttp: boolean
  /** Canonical integrity that the artifact must have, where it is known before the fetch. */
  readonly expected?: string | null
  /** Commit at which a repository that a catalog leads to was, where a ledger says so. */
  readonly commit?: string | null
  /** Policy; default: nothing is restricted. */
  readonly allow?: Judge | null
}

/** A command's world as its fetches see it. Of the user's configuration, what is malformed is reported when it is read. */
export const fetchContextOf = (context: Context, request: FetchRequest): FetchContext => {
  const { disk, home, signal, env, cache, offline, report } = context
  const memory = memoryOf(context)
  return {
    disk,
    home,
    signal,
    env,
    cache,
    offline,
    report,
    roots: request.roots,
    allowHttp: request.allowHttp,
    expected: request.expected ?? null,
    allow: request.allow ?? null,
    catalog: null,
    commit: request.commit ?? null,
    brought: memory.brought,
    config: () => (memory.config ??= readRemoteConfig(context)),
  }
}

/** What all fetches of one command share. */
interface Memory {
  config: RemoteConfig | null
  readonly brought: FetchContext['brought']
}

const MEMORIES = new WeakMap<Context, Memory>()

const memoryOf = (context: Context): Memory => {
  const memory = MEMORIES.get(context) ?? { config: null, brought: new Map() }
  MEMORIES.set(context, memory)
  return memory
}

const readRemoteConfig = ({ user, report }: Context): RemoteConfig => {
  const { auth, catalogs, diagnostics } = readUserConfig(user.config)
  for (const diagnostic of diagnostics) report({ kind: 'warning', diagnostic })
  return { auth, catalogs, folder: dirname(user.config) }
}
