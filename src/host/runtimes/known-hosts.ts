import type { ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { Manifest, RuntimeBody } from '../../manifest/manifest.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import { RUNTIMES } from './built-in-runtimes.ts'
import { SCOPE_LABELS } from './config-files.ts'
import { deriveRuntime } from './derive-runtime.ts'
import { withObservedLayout } from './observed-layout.ts'
import type { HostRuntime } from './runtime.ts'

/** A host runtime with everything that is known of it. */
export interface KnownHost {
  readonly runtime: HostRuntime
  /** Its descriptor, for what is placed in its folders; null where the merged set has none. */
  readonly descriptor: RuntimeBody | null
}

/** Host runtimes by id: those of the table first, in its order, then those that only a capability describes. */
export type KnownHosts = ReadonlyMap<string, KnownHost>

/** The built-in facts, and the descriptors of the merged set. Where both know a host, its hooks follow the facts. */
export const listKnownHosts = (manifests: Iterable<Manifest>): KnownHosts => {
  const hosts = new Map<string, KnownHost>(RUNTIMES.map((runtime) => [runtime.id, { runtime, descriptor: null }]))
  for (const manifest of manifests) {
    if (manifest.role !== 'runtime') continue
    const runtime = hosts.get(manifest.id)?.runtime ?? deriveRuntime(manifest)
    hosts.set(manifest.id, { runtime, descriptor: withObservedLayout(manifest.id, manifest.runtime) })
  }
  return hosts
}

/** @throws HOST_UNKNOWN_RUNTIME with the nearest known id; never another host instead */
export const requireKnownHost = (hosts: KnownHosts, id: string): KnownHost => {
  const found = hosts.get(id)
  if (found !== undefined) return found
  const known = [...hosts.keys()]
  const nearest = nearestWord(id, known)
  throw new GsdError('HOST_UNKNOWN_RUNTIME', `there is no host runtime ${quote(id)}`, {
    hint: nearest === null ? `known: ${known.join(', ')}` : `did you mean ${nearest}? Known: ${known.join(', ')}`,
    details: { runtime: id, known },
  })
}

/** A host runtime of the table. @throws HOST_UNKNOWN_RUNTIME with the nearest known id; never another host instead. */
export const requireBuiltInRuntime = (id: string): HostRuntime => requireKnownHost(BUILT_IN_HOSTS, id).runtime

const BUILT_IN_HOSTS = listKnownHosts([])

/**
 * Name of the folder a host has in a project, such as `.claude`; null where it has none.
 * @param runtime id of a host; any other value is unknown
 * @throws HOST_UNKNOWN_RUNTIME
 */
export const getDirName = (runtime: unknown): string | null => requireBuiltInRuntime(String(runtime)).localDir

/** Two hosts of which one reads the other's file too. */
export interface DoubleRead {
  readonly reader: string
  readonly owner: string
  readonly reason: string
}

/**
 * Hosts among these that would run a hook twice in a scope, because they also read the file of another one of them (hosts
 * page, "Hook commands"). The hooks are left out of the reader unless forced.
 */
export const findDoubleReads = (runtimes: readonly HostRuntime[], scope: ScopeName): DoubleRead[] =>
  runtimes.flatMap((reader) =>
    runtimes
      .filter(({ id }) => reader.alsoReads.some(({ host, scopes }) => host === id && scopes.includes(scope)))
      .map((owner) => ({
        reader: reader.id,
        owner: owner.id,
        reason: `${reader.title} also reads the hooks of ${owner.title} in a ${SCOPE_LABELS[scope]}, so each hook would run twice there`,
      })),
  )
