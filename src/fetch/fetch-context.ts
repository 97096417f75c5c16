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
  /** Policy; default: nothing is restricted. */
  readonly allow?: Judge | null
}

/** A command's world as its fetches see it. Of the user's configuration, what is malformed is reported when it is read. */
export const fetchContextOf = (context: Context, request: FetchRequest): FetchContext => {
  const { disk, home, signal, env, cache, offline, report } = context
  let config: RemoteConfig | null = null
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
    config: () => (config ??= readRemoteConfig(context)),
  }
}

const readRemoteConfig = ({ user, report }: Context): RemoteConfig => {
  const { auth, catalogs, diagnostics } = readUserConfig(user.config)
  for (const diagnostic of diagnostics) report({ kind: 'warning', diagnostic })
  return { auth, catalogs, folder: dirname(user.config) }
}
