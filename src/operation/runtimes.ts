import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { RUNTIMES } from '../host/runtimes/built-in-runtimes.ts'
import { hookFileFor, mcpFileFor } from '../host/runtimes/config-files.ts'
import { deriveRuntime } from '../host/runtimes/derive-runtime.ts'
import { runtimePaths, type RuntimePaths } from '../host/runtimes/runtime-paths.ts'
import type { HostRuntime } from '../host/runtimes/runtime.ts'
import type { RuntimeManifest } from '../manifest/manifest.ts'
import { nearestWord } from '../nearest-word.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { quote } from '../redact.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'

/** One host runtime: where its files are, and what this program writes there. */
export interface RuntimeRow extends RuntimePaths {
  readonly id: string
  readonly title: string
  /** Whether its configuration home exists, and its folder in the project. */
  readonly found: { readonly home: boolean; readonly project: boolean }
  readonly hooks: HostLocations
  readonly mcpServers: HostLocations
}

/** Where one kind of entry is written in a host. */
export interface HostLocations {
  readonly surface: string
  readonly global: string | null
  readonly project: string | null
  /** Why nothing is written; null if something is. */
  readonly reason: string | null
}

export interface RuntimesAnswer {
  readonly runtimes: readonly RuntimeRow[]
  readonly warnings: readonly Diagnostic[]
}

/** Every host runtime of the registry, with the folders and files resolved for this machine and project. Reads only. */
export const runtimes = async (context: Context): Promise<RuntimesAnswer> => {
  const { registry, warnings } = await loadRegistryFor(context)
  const rows = [...registry.runtimes.values()].map((manifest) => runtimeRowOf(context, manifest as RuntimeManifest))
  return { runtimes: rows, warnings: warnings.filter(({ severity }) => severity !== 'info') }
}

/** @throws HOST_UNKNOWN_RUNTIME with the nearest known id */
export const runtimeRow = async (context: Context, id: string): Promise<RuntimeRow> => {
  const rows = (await runtimes(context)).runtimes
  const row = rows.find((each) => each.id === id)
  if (row !== undefined) return row
  const known = rows.map((each) => each.id)
  const nearest = nearestWord(id, known)
  throw new GsdError('HOST_UNKNOWN_RUNTIME', `there is no host runtime ${quote(id)}`, {
    hint: nearest === null ? `known: ${known.join(', ')}` : `did you mean ${nearest}?`,
    details: { runtime: id, known },
  })
}

const runtimeRowOf = (context: Context, manifest: RuntimeManifest): RuntimeRow => {
  const { id, title, runtime } = manifest
  const host = RUNTIMES.find((row) => row.id === id) ?? deriveRuntime(manifest)
  const { env, home, project } = context
  const environment = { env, home, exists: existsSync }
  const paths = runtimePaths(runtime, project?.root ?? null, environment)
  return {
    id,
    title,
    ...paths,
    found: {
      home: paths.home !== null && existsSync(paths.home),
      project: paths.local !== null && existsSync(paths.local),
    },
    hooks: hostLocations(context, host, hookFileFor, host.surface),
    mcpServers: hostLocations(context, host, mcpFileFor, host.mcp?.surface ?? 'none'),
  }
}

/** Where one kind of entry goes in each scope. */
const hostLocations = (
  context: Context,
  runtime: HostRuntime,
  find: typeof hookFileFor,
  surface: string,
): HostLocations => {
  const environment = { env: context.env, home: context.home, exists: existsSync }
  const paths = scopesOf(context).map((scope) => ({ scope: scope.scope, place: find(runtime, scope, environment) }))
  const fileIn = (name: string): string | null => {
    const place = paths.find(({ scope }) => scope === name)?.place
    return place !== undefined && 'file' in place ? place.file : null
  }
  const reasons = paths.flatMap(({ place }) => ('reason' in place ? [place.reason] : []))
  const [global, project] = [fileIn('global'), fileIn('project')]
  return { surface, global, project, reason: global === null && project === null ? (reasons[0] ?? null) : null }
}
