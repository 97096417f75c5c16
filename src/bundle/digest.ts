import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { sha512Hex } from '../platform/hash.ts'
import type { BundleFile } from './bundle.ts'
import { compareUtf8 } from './byte-order.ts'
import { createIntegrityHash } from './integrity.ts'
import { LIMITS } from './limits.ts'
import { declaredHookScripts, stripIntegrity } from './manifest-bytes.ts'

/**
 * The digest of a bundle tree (contract, "Integrity and digest"): sha512 over one record for each file, in the byte
 * order of their paths, `path NUL ('x'|'-') NUL hex-sha512 LF`. The order of `files` does not matter.
 *
 * @param manifest Bytes of `capability.json`, whose own `integrity` does not count; null where there is none.
 * @returns `sha512-…`
 */
export const bundleDigest = (files: readonly BundleFile[], manifest: Uint8Array | null): string => {
  const scripts = manifest === null ? new Set<string>() : declaredHookScripts(manifest)
  const sum = createIntegrityHash()
  for (const file of files.toSorted((a, b) => compareUtf8(a.path, b.path))) {
    const executable = file.executable || (file.shebang && scripts.has(file.path))
    const content = file.path === MANIFEST_FILE && manifest !== null ? manifestHash(file, manifest) : file.sha512
    sum.update(`${file.path}\0${executable ? 'x' : '-'}\0${content}\n`)
  }
  return sum.digest()
}

const manifestHash = (file: BundleFile, manifest: Uint8Array): string => {
  // Longer than any valid manifest, and perhaps cut off: it counts unchanged.
  if (manifest.length > LIMITS.manifest) return file.sha512
  const counted = stripIntegrity(manifest)
  return counted === manifest ? file.sha512 : sha512Hex(counted)
}
