import type { StagedBundle } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { diagnostic, type Diagnostic, errorFromDiagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { checkHookScripts } from '../host/hooks/check-hook-scripts.ts'
import { checkBundleFiles } from '../manifest/check-bundle-files.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { parseManifest } from '../manifest/parse-manifest.ts'
import { StatTracker } from '../overlay/cache/stat-tracker.ts'
import { readFragments } from '../overlay/read-fragments.ts'
import { quote } from '../redact.ts'

/**
 * Errors of an unpacked bundle outside its manifest that would refuse an install: hooks that cannot run, an `integrity`
 * that is not the digest, unreadable fragments.
 */
export const checkStagedBundle = (staged: StagedBundle, manifest: Manifest, now: number): Diagnostic[] => [
  ...checkHookScripts(manifest, staged.files),
  ...checkOwnIntegrity(manifest, bundleDigest(staged.files, staged.manifest)),
  ...checkFragments(staged, manifest, now),
]

/** A manifest's own `integrity` is the digest of its bundle (contract, "Integrity and digest"). */
export const checkOwnIntegrity = ({ id, integrity }: Manifest, digest: string): Diagnostic[] => {
  if (integrity === undefined || integrity === digest) return []
  const text = `the capability.json of ${quote(id)} states the integrity ${integrity}, but the bundle has ${digest}`
  const hint = 'download it again; its author runs gsd capability pack --write-integrity'
  return [diagnostic('error', 'INTEGRITY_DIGEST_MISMATCH', text, { id, path: '/integrity', hint })]
}

const checkFragments = ({ dir }: StagedBundle, manifest: Manifest, now: number): Diagnostic[] => {
  const read = readFragments(new StatTracker(now), dir, manifest)
  if ('texts' in read) return []
  const { code, reason, location } = read
  const path = location?.path === undefined ? {} : { path: location.path }
  return [diagnostic('error', code, reason, { id: manifest.id, ...path, hint: 'save it as UTF-8 text' })]
}

/** Reads the staged manifest and checks every rule. @throws MANIFEST_INVALID with all findings in `details.diagnostics` */
export const readStagedManifest = (
  staged: StagedBundle,
  named: string,
): { readonly manifest: Manifest; readonly warnings: readonly Diagnostic[] } => {
  const text = parseManifest(staged.manifest, { file: 'capability.json' })
  const { manifest, diagnostics } = checkManifest(text, { folder: null })
  const files = new Map(staged.files.map((file) => [file.path, file]))
  const inBundle = manifest === null ? [] : checkBundleFiles(manifest, files, { text })
  const all = [...diagnostics, ...inBundle]
  const errors = all.filter(({ severity }) => severity === 'error')
  if (manifest !== null && errors.length === 0) return { manifest, warnings: all }
  throw invalidManifest(named, errors, all)
}

const invalidManifest = (named: string, errors: readonly Diagnostic[], all: readonly Diagnostic[]): GsdError =>
  new GsdError(
    'MANIFEST_INVALID',
    `the capability.json of ${quote(named)} breaks ${errors.length === 1 ? 'a rule' : `${errors.length} rules`}`,
    {
      hint: 'its author has to fix it; gsd capability validate shows every error with its place',
      details: { diagnostics: all },
    },
  )

/** @throws the first error, with its own code */
export const refuseDiagnostics = ([first, ...more]: readonly Diagnostic[], named: string): void => {
  if (first === undefined) return
  const message = `${quote(named)} cannot be installed: ${first.message}`
  throw errorFromDiagnostic({ ...first, message }, 'MANIFEST_INVALID', { diagnostics: [first, ...more] })
}
