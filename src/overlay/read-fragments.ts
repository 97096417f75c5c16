import { isAscii, isUtf8 } from 'node:buffer'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import { BundleReader } from './bundle-reader.ts'
import type { StatTracker } from './cache/stat-tracker.ts'
import type { LoadError } from './overlay.ts'

const MAX_FRAGMENT_BYTES = 256 * 1024

/**
 * Reads the fragments that a manifest names by path (rule 21): regular files in the bundle, at most 256 KiB, UTF-8. A leading
 * byte order mark is removed. If one cannot be read, the whole capability is unusable.
 */
export const readFragments = (
  tracker: StatTracker,
  dir: string,
  manifest: Manifest,
  reader = new BundleReader(tracker, dir),
): { readonly texts: Readonly<Record<string, string>> } | LoadError => {
  if (manifest.role !== 'feature') return NO_FRAGMENTS
  let texts: Record<string, string> | null = null
  for (const list of ['steps', 'contributions'] as const) {
    for (const [at, { fragment }] of manifest[list].entries()) {
      if (fragment === undefined || !('path' in fragment)) continue
      const { path } = fragment
      if (texts !== null && Object.hasOwn(texts, path)) continue
      const read = reader.read(path, MAX_FRAGMENT_BYTES)
      const text = read.kind === 'file' ? decodeUtf8(read.bytes) : null
      if (text === null) {
        const reason = read.kind === 'file' ? 'is not UTF-8 text' : read.reason
        return fragmentError(dir, path, `/${list}/${at}/fragment/path`, reason)
      }
      // An assignment to `__proto__` would set the prototype.
      Object.defineProperty((texts ??= {}), path, { value: text, enumerable: true })
    }
  }
  return texts === null ? NO_FRAGMENTS : { texts }
}

const NO_FRAGMENTS = { texts: {} } as const

/** Without a byte order mark; null for what is not UTF-8. */
const decodeUtf8 = (bytes: Buffer): string | null => {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) return null
  const text = bytes.toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

const fragmentError = (dir: string, path: string, pointer: string, reason: string): LoadError => ({
  code: 'OVERLAY_FRAGMENT',
  status: 'invalid',
  reason: `its fragment ${quote(path)} ${reason}`,
  hint: `check ${shellQuote(`${dir}/${path}`)}`,
  location: { path: pointer },
})
