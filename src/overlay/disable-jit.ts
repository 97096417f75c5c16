import { readdirSync } from 'node:fs'
import type { ScopePaths } from '../state/scope-paths.ts'

/** From so many bundles on, a load takes long enough for the engine to begin optimising what is over before it is done. */
const LARGE_LOAD = 200

/**
 * Lets the engine optimise nothing in a process that is about to read many bundles and to end: at a thousand of them that
 * is a fourth of the time. Never in a process of somebody else's.
 */
export const disableJitForLargeLoads = (scopes: readonly ScopePaths[]): void => {
  if (!scopes.some(({ capabilities }) => countEntries(capabilities) >= LARGE_LOAD)) return
  process.getBuiltinModule('node:v8').setFlagsFromString('--no-opt')
}

const countEntries = (folder: string): number => {
  try {
    return readdirSync(folder).length
  } catch {
    return 0
  }
}
