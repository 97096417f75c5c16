import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import type { HostRuntime } from './runtimes/runtime.ts'
import { RUNTIMES } from './runtimes/table.ts'

/** @throws HOST_UNKNOWN_RUNTIME with the nearest known id; never another host instead. */
export const runtimeOf = (id: string): HostRuntime => {
  const found = RUNTIMES.find((runtime) => runtime.id === id)
  if (found !== undefined) return found
  const known = RUNTIMES.map((runtime) => runtime.id)
  const nearest = nearestWord(id, known)
  throw new GsdError('HOST_UNKNOWN_RUNTIME', `there is no host runtime ${quote(id)}`, {
    hint: nearest === null ? `known: ${known.join(', ')}` : `did you mean ${nearest}? Known: ${known.join(', ')}`,
    details: { runtime: id, known },
  })
}

/** Name of the folder a host has in a project, such as `.claude`; null where it has none. @throws HOST_UNKNOWN_RUNTIME */
export const getDirName = (runtime: string): string | null => runtimeOf(runtime).localDir
