import type { Diagnostic } from '../../diagnostic.ts'
import type { Registry } from '../../registry/registry.ts'
import { declaredKey } from './declared-key.ts'
import type { ConfigLayers } from './layer.ts'
import { resolveKey, type ResolvedKey } from './resolve-key.ts'

/** Looks configuration values up, each key once, and remembers what was wrong with those that were asked for. */
export interface Config {
  /** The value of a key; undefined for a key that nobody declares. */
  value(key: string): unknown
  resolved(key: string): ResolvedKey | null
  /** Of the files as a whole, then of the keys in the order in which they were first asked for. */
  warnings(): readonly Diagnostic[]
}

/** The configuration of one call over a registry's keys. */
export const configOf = (registry: Pick<Registry, 'configKeys'>, layers: ConfigLayers): Config => {
  const known = new Map<string, ResolvedKey | null>()
  const warnings: Diagnostic[] = [...layers.warnings]
  const resolved = (key: string): ResolvedKey | null => {
    const before = known.get(key)
    if (before !== undefined) return before
    const declared = declaredKey(registry, key)
    const answer = declared === null ? null : resolveKey(declared, layers)
    known.set(key, answer?.resolved ?? null)
    warnings.push(...(answer?.warnings ?? []))
    return answer?.resolved ?? null
  }
  return { resolved, value: (key) => resolved(key)?.value, warnings: () => warnings }
}
