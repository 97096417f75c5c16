import type { StagedBundle } from '../../bundle/bundle.ts'
import { bundleDigest } from '../../bundle/digest.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { unrunnableHooks } from '../../host/unrunnable-hooks.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { readFragments } from '../../overlay/fragments.ts'
import { Witness } from '../../overlay/witness.ts'
import { quote } from '../../redact.ts'

/**
 * What of an unpacked bundle is wrong beside its manifest and would refuse an install: hooks that nothing can run, an
 * `integrity` that is not the digest, fragments that cannot be read.
 */
export const bundleFaults = (staged: StagedBundle, manifest: Manifest, now: number): Diagnostic[] => [
  ...unrunnableHooks(manifest, staged.files),
  ...wrongIntegrity(manifest, bundleDigest(staged.files, staged.manifest)),
  ...unreadFragments(staged, manifest, now),
]

/** A manifest's own `integrity` is the digest of its bundle (contract, "Integrity and digest"). */
export const wrongIntegrity = ({ id, integrity }: Manifest, digest: string): Diagnostic[] => {
  if (integrity === undefined || integrity === digest) return []
  const text = `the capability.json of ${quote(id)} states ${integrity}, and the bundle is ${digest}`
  const hint =
    'the bundle is not the one its author packed: get it anew; its author runs gsd capability pack --write-integrity'
  return [diagnostic('error', 'INTEGRITY_DIGEST_MISMATCH', text, { id, path: '/integrity', hint })]
}

const unreadFragments = ({ dir }: StagedBundle, manifest: Manifest, now: number): Diagnostic[] => {
  const read = readFragments(new Witness(now), dir, manifest)
  if ('texts' in read) return []
  const { code, reason, place } = read
  const path = place?.path === undefined ? {} : { path: place.path }
  return [diagnostic('error', code, reason, { id: manifest.id, ...path, hint: 'save it as UTF-8 text' })]
}
