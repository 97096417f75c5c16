import { GsdError } from '../errors.ts'
import type { Manifest, RuntimeBody } from '../manifest/manifest.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { deriveRuntime } from './derive-runtime.ts'
import type { HostRuntime } from './runtimes/runtime.ts'
import { RUNTIMES } from './runtimes/table.ts'

/** A host runtime with everything that is known of it. */
export interface KnownHost {
  readonly runtime: HostRuntime
  /** Its descriptor, for what is placed in its folders; null where the merged set has none. */
  readonly body: RuntimeBody | null
}

/** Host runtimes by id: those of the table first, in its order, then those that only a capability describes. */
export type KnownHosts = ReadonlyMap<string, KnownHost>

/** The built-in facts, and the descriptors of the merged set. Where both know a host, the facts say how its hooks stand. */
export const knownHosts = (manifests: Iterable<Manifest>): KnownHosts => {
  const hosts = new Map<string, KnownHost>(RUNTIMES.map((runtime) => [runtime.id, { runtime, body: null }]))
  for (const manifest of manifests) {
    if (manifest.role !== 'runtime') continue
    const runtime = hosts.get(manifest.id)?.runtime ?? deriveRuntime(manifest)
    hosts.set(manifest.id, { runtime, body: manifest.runtime })
  }
  return hosts
}

/** @throws HOST_UNKNOWN_RUNTIME with the nearest known id; never another host instead */
export const hostNamed = (hosts: KnownHosts, id: string): KnownHost => {
  const found = hosts.get(id)
  if (found !== undefined) return found
  const known = [...hosts.keys()]
  const nearest = nearestWord(id, known)
  throw new GsdError('HOST_UNKNOWN_RUNTIME', `there is no host runtime ${quote(id)}`, {
    hint: nearest === null ? `known: ${known.join(', ')}` : `did you mean ${nearest}? Known: ${known.join(', ')}`,
    details: { runtime: id, known },
  })
}
