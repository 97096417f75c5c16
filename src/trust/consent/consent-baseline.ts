import { GsdError } from '../../errors.ts'
import { fileFingerprint, type ConsentRecord } from '../../state/grants.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import type { InstalledCapability } from '../../state/installed.ts'
import type { Baseline } from '../compare-surfaces.ts'
import { listSurfaces } from '../list-surfaces.ts'
import { redactSurface } from '../redact-surface.ts'
import { manifestFingerprint } from '../signature.ts'

/** What a new version is compared with: what the user agreed to last, else what is installed, else null. */
export const consentBaseline = (record: ConsentRecord | null, installed: InstalledCapability): Baseline | null =>
  (record === null ? null : shownBaseline(record)) ?? installedBaseline(installed)

/** What the user agreed to, as it was shown; null where an older record does not contain it. */
export const shownBaseline = ({ version, shown, files, core }: ConsentRecord): Baseline | null =>
  shown === undefined
    ? null
    : { version, surfaces: shown, files: new Map(Object.entries(files)), ...(core === undefined ? {} : { core }) }

const installedBaseline = (installed: InstalledCapability): Baseline | null => {
  const { entry, tree } = installed
  if (entry === null || tree === null) return null
  const files = new Map(tree.files.map((file) => [file.path, fileFingerprint(file)]))
  try {
    const manifest = manifestOf(installed)
    const surfaces = listSurfaces(manifest, tree.files).map((surface) => ({ ...redactSurface(surface) }))
    return { version: entry.version, surfaces, files, core: manifestFingerprint(manifest) }
  } catch (error) {
    if (error instanceof GsdError) return { version: entry.version, surfaces: [], files }
    throw error
  }
}
