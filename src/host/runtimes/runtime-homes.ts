import { existsSync } from 'node:fs'
import { type HomeLookup, resolveHome } from './resolve-home.ts'
import { RUNTIMES } from './table.ts'

/** Configuration homes of all host runtimes that have one, in the order of the table; found only as they are asked for. */
export function* listRuntimeHomes(world: Omit<HomeLookup, 'exists'>): Generator<string> {
  for (const { configHome } of RUNTIMES) {
    if (configHome.kind !== 'none') yield resolveHome(configHome, { ...world, exists: existsSync })
  }
}
