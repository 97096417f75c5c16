import { errorFromDiagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { parseManifest } from '../manifest/parse-manifest.ts'
import { quote } from '../redact.ts'
import type { InstalledCapability } from './installed.ts'

/**
 * The manifest of an installed bundle, checked by the rules for one manifest.
 * @throws OVERLAY_NO_MANIFEST, OVERLAY_INVALID with all findings in `details.diagnostics`
 */
export const manifestOf = ({ id, dir, tree }: InstalledCapability): Manifest => {
  if (tree?.manifest == null) {
    throw new GsdError('OVERLAY_NO_MANIFEST', `${quote(id)} has no capability.json in ${quote(dir)}`, {
      hint: 'gsd capability sync',
    })
  }
  const { manifest, diagnostics } = checkManifest(parseManifest(tree.manifest, { file: `${dir}/capability.json` }))
  if (manifest !== null) return manifest
  const first = diagnostics.find(({ severity }) => severity === 'error')
  const finding = first ?? {
    code: 'OVERLAY_INVALID' as const,
    severity: 'error' as const,
    message: `${quote(id)} is not valid`,
  }
  throw errorFromDiagnostic(finding, 'OVERLAY_INVALID', { diagnostics })
}
