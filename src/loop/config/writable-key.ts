import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Registry } from '../../registry/registry.ts'
import { activationOf } from '../activation.ts'
import { excludedManifest } from '../installed-manifest.ts'
import type { LoopContext } from '../loop-context.ts'
import type { Config } from './config.ts'
import { type DeclaredKey, declaredKey } from './declared-key.ts'
import { requireKey } from './require-key.ts'

export interface WritableKeyOptions {
  readonly config: Config
  readonly context: LoopContext
  /** Also keys of capabilities that are not active. */
  readonly force: boolean
}

/**
 * The key, if it may be written: a central one, or one of an active capability. The key that switches a capability on may
 * always be written.
 * @throws GsdError USAGE_UNKNOWN_KEY, REGISTRY_KEY_INACTIVE
 */
export const writableKey = (registry: Registry, key: string, options: WritableKeyOptions): DeclaredKey => {
  const declared = declaredKey(registry, key) ?? inactiveKey(registry, key, options)
  if (declared === null) return requireKey(registry, key)
  if (declared.owner === null || options.force) return declared
  const reason = inactiveReason(registry, declared.owner, key, options)
  if (reason === null) return declared
  throw new GsdError(
    'REGISTRY_KEY_INACTIVE',
    `${key} belongs to ${quote(declared.owner)}, which is not active: ${reason}`,
    {
      hint: `activate ${quote(declared.owner)} first, or write it all the same with --force`,
    },
  )
}

const inactiveReason = (
  registry: Registry,
  owner: string,
  key: string,
  { config }: WritableKeyOptions,
): string | null => {
  if (!registry.capabilities.has(owner))
    return registry.rows.find(({ id }) => id === owner)?.reason ?? 'it takes no part'
  if (registry.conditions.get(owner)?.activationKey === key) return null
  return activationOf(registry, { config, runtime: null }).capability(owner)?.reason ?? null
}

/** A key that only a capability declares which takes no part. */
const inactiveKey = (registry: Registry, key: string, { context }: WritableKeyOptions): DeclaredKey | null => {
  for (const row of registry.rows) {
    if (registry.capabilities.has(row.id)) continue
    const config = excludedManifest(registry, row, context)?.config ?? {}
    if (!Object.hasOwn(config, key)) continue
    const entry = config[key]
    if (entry !== undefined) return { key, owner: row.id, ...entry }
  }
  return null
}
