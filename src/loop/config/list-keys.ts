import type { Diagnostic } from '../../diagnostic.ts'
import { diagnostic } from '../../diagnostic.ts'
import { pointerTo } from '../../manifest/json/pointer.ts'
import { quote } from '../../redact.ts'
import type { Registry } from '../../registry/registry.ts'
import { type DeclaredKey, declaredKey, declaredKeys, nearestKey } from './declared-key.ts'
import type { ConfigLayer, ConfigLayers } from './layer.ts'
import { type ResolvedKey, resolveKey } from './resolve-key.ts'
import { isObject } from './value-type.ts'

/** Configuration keys with their values, and what is wrong with the files. */
export interface ConfigList {
  readonly keys: readonly ResolvedKey[]
  readonly warnings: readonly Diagnostic[]
}

/** These keys with their values, in the order given. */
export const resolveKeys = (keys: readonly DeclaredKey[], layers: ConfigLayers): ConfigList => {
  const resolved = keys.map((key) => resolveKey(key, layers))
  return {
    keys: resolved.map((it) => it.resolved),
    warnings: [...layers.warnings, ...resolved.flatMap((it) => it.warnings)],
  }
}

/** Every declared key, those of central families that a file sets, and a warning for each member that nobody declares. */
export const listKeys = (registry: Pick<Registry, 'configKeys'>, layers: ConfigLayers): ConfigList => {
  const fixed = declaredKeys(registry)
  const known = new Set(fixed.map(({ key }) => key))
  const walk = walker(registry, known)
  const unknown = layers.layers.flatMap((layer) => walk.unknownIn(layer))
  const free = [...walk.families].sort().flatMap((key) => declaredKey(registry, key) ?? [])
  const list = resolveKeys([...fixed, ...free], layers)
  return { keys: list.keys, warnings: [...list.warnings, ...unknown] }
}

/** More members than this are not named one by one. */
const MOST_UNKNOWN = 20

/** Looks through layers for members that no key owns, and for keys of central families on the way. */
const walker = (registry: Pick<Registry, 'configKeys'>, known: ReadonlySet<string>) => {
  const parents = new Set([...known].flatMap(parentsOf))
  const families = new Set<string>()
  const unknownIn = (layer: ConfigLayer): readonly Diagnostic[] => {
    const found: (readonly string[])[] = []
    const open: [path: readonly string[], values: Readonly<Record<string, unknown>>][] = [[[], layer.values]]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [path, values] = next
      for (const [name, value] of Object.entries(values)) {
        if (found.length > MOST_UNKNOWN) break
        const here = [...path, name]
        const key = here.join('.')
        if (known.has(key)) continue
        if (declaredKey(registry, key) !== null) families.add(key)
        else if (isObject(value) && (parents.has(key) || mayHoldFamily(key))) open.push([here, value])
        else found.push(here)
      }
    }
    return found.slice(0, MOST_UNKNOWN).map((path) => unknownMember(registry, layer, path))
  }
  return { families, unknownIn }
}

const unknownMember = (
  registry: Pick<Registry, 'configKeys'>,
  layer: ConfigLayer,
  path: readonly string[],
): Diagnostic => {
  const key = path.join('.')
  const near = nearestKey(registry, key)
  const whole = [...layer.prefix, ...path]
  return diagnostic('warning', 'USAGE_UNKNOWN_KEY', `nobody declares the configuration key ${quote(key)}`, {
    ...(layer.file === null ? {} : { file: layer.file }),
    ...layer.locate(whole),
    path: whole.reduce<string>(pointerTo, ''),
    hint: near === null ? 'remove it, or install the capability that has it' : `did you mean ${near}?`,
  })
}

const parentsOf = (key: string): readonly string[] => {
  const parts = key.split('.')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'))
}

/** The first words of central families, with as many free parts as those have. */
const mayHoldFamily = (key: string): boolean =>
  /^(?:agent_tools|agent_skills|features|claude_md_assembly|model_profile_overrides|models|granularities|dynamic_routing|model_overrides|effort|fast_mode|review|model_policy|phase_commit_docs)(?:\.[^.]+){0,2}$/.test(
    key,
  )
