import { CENTRAL_KEYS, isCentralKey, RUN_STATE_KEYS } from '../../manifest/central-keys.ts'
import { nearestWord } from '../../nearest-word.ts'
import type { Registry } from '../../registry/registry.ts'
import type { ValueType } from './value-type.ts'

/** A configuration key with what is known of it. */
export interface DeclaredKey extends ValueType {
  readonly key: string
  /** Id of the capability that declares it; null: the program itself. */
  readonly owner: string | null
  /** Undefined where a key has no default. */
  readonly default: unknown
  readonly description?: string
}

/** The key of that name: of a capability of the registry, a central one, or one of a central family; else null. */
export const declaredKey = (registry: Pick<Registry, 'configKeys'>, key: string): DeclaredKey | null => {
  const central = CENTRAL_KEYS.get(key)
  if (central !== undefined) return { key, owner: null, ...central }
  const own = registry.configKeys.get(key)
  if (own !== undefined) {
    const { type, default: value, description } = own
    return {
      key,
      owner: own.owner,
      type,
      default: value,
      description,
      ...(type === 'enum' ? { values: own.values } : {}),
    }
  }
  return isCentralKey(key) ? familyKey(key) : null
}

/** Every key with a fixed name, in the order of their names. */
export const declaredKeys = (registry: Pick<Registry, 'configKeys'>): readonly DeclaredKey[] =>
  keyNames(registry).flatMap((key) => declaredKey(registry, key) ?? [])

/** The known key that a mistyped one most likely means, or null. */
export const nearestKey = (registry: Pick<Registry, 'configKeys'>, key: string): string | null =>
  nearestWord(key, keyNames(registry)) ?? sameLastWord(registry, key)

const keyNames = (registry: Pick<Registry, 'configKeys'>): readonly string[] =>
  [...new Set([...CENTRAL_KEYS.keys(), ...registry.configKeys.keys()])].sort()

/** `ui_phase` means `workflow.ui_phase` where only one key ends so. */
const sameLastWord = (registry: Pick<Registry, 'configKeys'>, key: string): string | null => {
  const ending = keyNames(registry).filter((name) => name.endsWith(`.${key}`))
  return ending.length === 1 ? (ending[0] ?? null) : null
}

/** Keys of a central family carry a part of the user's choosing, so no table holds them. */
const familyKey = (key: string): DeclaredKey => ({
  key,
  owner: null,
  type: RUN_STATE_KEYS.has(key) ? 'boolean' : 'any',
  default: RUN_STATE_KEYS.has(key) ? false : undefined,
})
