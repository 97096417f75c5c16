import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Registry } from '../../registry/registry.ts'
import { excludedManifest } from '../installed-manifest.ts'
import type { LoopContext } from '../loop-context.ts'

/** The boolean keys that a capability declares. @throws GsdError STATE_NOT_INSTALLED for an id that nothing has */
export const ownBooleanKeys = (registry: Registry, id: string, context: LoopContext): readonly string[] => {
  const row = registry.rows.find((each) => each.id === id)
  if (row === undefined)
    throw new GsdError('STATE_NOT_INSTALLED', `there is no capability ${quote(id)}`, {
      hint: 'gsd capability list shows them',
    })
  const manifest = registry.capabilities.get(id)?.manifest ?? excludedManifest(registry, row, context)
  return Object.entries(manifest?.config ?? {}).flatMap(([key, { type }]) => (type === 'boolean' ? [key] : []))
}
