import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Registry } from '../../registry/registry.ts'
import { type DeclaredKey, declaredKey, nearestKey } from './declared-key.ts'
import { parseValue } from './parse-value.ts'

/** The key of that name. @throws GsdError USAGE_UNKNOWN_KEY with the nearest one */
export const requireKey = (registry: Pick<Registry, 'configKeys'>, key: string): DeclaredKey => {
  const declared = declaredKey(registry, key)
  if (declared !== null) return declared
  const near = nearestKey(registry, key)
  throw new GsdError('USAGE_UNKNOWN_KEY', `there is no configuration key ${quote(key)}`, {
    hint: near === null ? 'gsd config list shows every key' : `did you mean ${near}?`,
    details: { key, ...(near === null ? {} : { suggestion: near }) },
  })
}

/**
 * The values that a call brings along, as `key=value`.
 * @throws GsdError USAGE_BAD_VALUE, USAGE_UNKNOWN_KEY
 */
export const parseAssignments = (
  registry: Pick<Registry, 'configKeys'>,
  texts: readonly string[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new GsdError('USAGE_BAD_VALUE', `${quote(text)} sets nothing`, { hint: 'write <key>=<value>' })
      const declared = requireKey(registry, text.slice(0, at))
      return [declared.key, parseValue(declared, text.slice(at + 1))]
    }),
  )
