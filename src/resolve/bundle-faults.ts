import type { StagedBundle } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { checkHookScripts } from '../host/hooks/check-hook-scripts.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { StatTracker } from '../overlay/cache/stat-tracker.ts'
import { readFragments } from '../overlay/read-fragments.ts'
import { quote } from '../redact.ts'

/**
 * What of an unpacked bundle is wrong beside its manifest and would refuse an install: hooks that nothing can run, an
 * `integrity` that is not the digest, fragments that cannot be read.
 */
export const checkStagedBundle = (staged: StagedBundle, manifest: Manifest, now: number): Diagnostic[] => [
  ...checkHookScripts(manifest, staged.files),
  ...checkOwnIntegrity(manifest, bundleDigest(staged.files, staged.manifest)),
  ...checkFragments(staged, manifest, now),
]

/** A manifest's own `integrity` is the digest of its bundle (contract, "Integrity and digest"). */
export const checkOwnIntegrity = ({ id, integrity }: Manifest, digest: string): Diagnostic[] => {
  if (integrity === undefined || integrity === digest) return []
  const text = `the capability.json of ${quote(id)} states ${integrity}, and the bundle is ${digest}`
  const hint =
    'the bundle is not the one its author packed: get it anew; its author runs gsd capability pack --write-integrity'
  return [diagnostic('error', 'INTEGRITY_DIGEST_MISMATCH', text, { id, path: '/integrity', hint })]
}

const checkFragments = ({ dir }: StagedBundle, manifest: Manifest, now: number): Diagnostic[] => {
  const read = readFragments(new StatTracker(now), dir, manifest)
  if ('texts' in read) return []
  const { code, reason, location } = read
  const path = location?.path === undefined ? {} : { path: location.path }
  return [diagnostic('error', code, reason, { id: manifest.id, ...path, hint: 'save it as UTF-8 text' })]
}
