import { existsSync } from 'node:fs'
import { type HomeWorld, resolveHome } from './resolve-home.ts'
import { RUNTIMES } from './runtimes/table.ts'

/** Configuration homes of all host runtimes that have one, in the order of the table; found only as they are asked for. */
export function* runtimeHomes(world: Omit<HomeWorld, 'exists'>): Generator<string> {
  for (const { configHome } of RUNTIMES) {
    if (configHome.kind !== 'none') yield resolveHome(configHome, { ...world, exists: existsSync })
  }
}
