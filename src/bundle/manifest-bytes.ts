import { LIMITS } from './limits.ts'

/**
 * The script paths that the hooks of a manifest declare. Lenient: whatever cannot be read declares nothing, and the
 * manifest's own rules say so elsewhere. (Contract, "Integrity and digest": declared hook scripts are executable.)
 */
export const declaredHookScripts = (manifest: Uint8Array): ReadonlySet<string> => {
  const scripts = new Set<string>()
  if (manifest.length > LIMITS.manifest) return scripts
  for (const hook of listHooks(parseLenient(manifest))) {
    if (isObject(hook) && typeof hook.script === 'string') scripts.add(hook.script)
  }
  return scripts
}

const listHooks = (value: unknown): readonly unknown[] =>
  isObject(value) && Array.isArray(value.hooks) ? value.hooks : []

const isObject = (value: unknown): value is { readonly hooks?: unknown; readonly script?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseLenient = (manifest: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(manifest))
  } catch {
    return null
  }
}

/** Keeps the bytes of a manifest that is read in pieces, up to one more than the limit: enough to see that it is too long. */
export interface ManifestCapture {
  update(chunk: Uint8Array): void
  bytes(): Uint8Array
}

export const captureManifest = (): ManifestCapture => {
  const pieces: Uint8Array[] = []
  let kept = 0
  return {
    update(chunk) {
      if (kept > LIMITS.manifest) return
      const piece = Uint8Array.from(chunk.subarray(0, LIMITS.manifest + 1 - kept))
      pieces.push(piece)
      kept += piece.length
    },
    bytes: () => Buffer.concat(pieces),
  }
}
