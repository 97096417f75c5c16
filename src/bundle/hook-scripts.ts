import { LIMITS } from './limits.ts'

/**
 * The script paths that the hooks of a manifest declare. Lenient: whatever cannot be read declares nothing, and the
 * manifest's own rules say so elsewhere. (Contract, "Integrity and digest": declared hook scripts are executable.)
 */
export const declaredHookScripts = (manifest: Uint8Array): ReadonlySet<string> => {
  const scripts = new Set<string>()
  if (manifest.length > LIMITS.manifest) return scripts
  for (const hook of hooksOf(parse(manifest))) {
    if (isObject(hook) && typeof hook.script === 'string') scripts.add(hook.script)
  }
  return scripts
}

const hooksOf = (value: unknown): readonly unknown[] =>
  isObject(value) && Array.isArray(value.hooks) ? value.hooks : []

const isObject = (value: unknown): value is { readonly hooks?: unknown; readonly script?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parse = (manifest: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(manifest))
  } catch {
    return null
  }
}
