import type { StagedBundle } from '../bundle/bundle.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { errorFromDiagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { checkBundleFiles } from '../manifest/check-bundle-files.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { parseManifest } from '../manifest/parse-manifest.ts'
import { quote } from '../redact.ts'

/** Reads the staged manifest by every rule. @throws MANIFEST_INVALID with all findings in `details.diagnostics` */
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
      hint: 'it has to be mended where it comes from; gsd capability validate shows every fault with its place',
      details: { diagnostics: all },
    },
  )

/** @throws the first fault, as an error of its own code */
export const refuseDiagnostics = ([first, ...more]: readonly Diagnostic[], named: string): void => {
  if (first === undefined) return
  const message = `${quote(named)} cannot be installed: ${first.message}`
  throw errorFromDiagnostic({ ...first, message }, 'MANIFEST_INVALID', { diagnostics: [first, ...more] })
}
