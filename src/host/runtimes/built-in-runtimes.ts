import { existsSync } from 'node:fs'
import type { DescribedRuntime } from './described-runtime.ts'
import DESCRIBED from './first-party-hosts.json' with { type: 'json' }
import { HOST_EVENTS } from './host-events.ts'
import { HOST_FACTS, type HostFacts } from './host-facts.ts'
import { type HomeLookup, resolveHome } from './resolve-home.ts'
import type { HostRuntime } from './runtime.ts'

const NO_HOOKS = {
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: [],
} as const satisfies Partial<HostRuntime>

/**
 * Everything known of the built-in host runtimes: what their manifests say, and the facts besides them. A new host is a
 * capability with a manifest and a row in each of the two tables; `npm run generate` copies what the manifest says.
 */
export const RUNTIMES: readonly HostRuntime[] = Object.entries<HostFacts>(HOST_FACTS).flatMap(([id, facts]) => {
  const described = (DESCRIBED as readonly DescribedRuntime[]).find((each) => each.id === id)
  if (described === undefined) return []
  const { own, byClaudeName } = HOST_EVENTS[id as keyof typeof HOST_FACTS]
  return { ...NO_HOOKS, ...described, events: own.split(/\s+/), claudeEvents: byClaudeName ?? {}, ...facts }
})

/** Configuration homes of all host runtimes that have one, in the order of the table; resolved one by one, on demand. */
export function* listRuntimeHomes(lookup: Omit<HomeLookup, 'exists'>): Generator<string> {
  for (const { configHome } of RUNTIMES) {
    if (configHome.kind !== 'none') yield resolveHome(configHome, { ...lookup, exists: existsSync })
  }
}
