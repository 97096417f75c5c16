import { hostNamed, knownHosts } from './known-hosts.ts'
import type { HostRuntime } from './runtimes/runtime.ts'

/** A host runtime of the table. @throws HOST_UNKNOWN_RUNTIME with the nearest known id; never another host instead. */
export const runtimeOf = (id: string): HostRuntime => hostNamed(BUILT_IN, id).runtime

const BUILT_IN = knownHosts([])

/**
 * Name of the folder a host has in a project, such as `.claude`; null where it has none.
 * @param runtime id of a host; whatever else a caller gives is none that is known
 * @throws HOST_UNKNOWN_RUNTIME
 */
export const getDirName = (runtime: unknown): string | null => runtimeOf(String(runtime)).localDir
