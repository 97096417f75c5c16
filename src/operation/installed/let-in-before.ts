import { GsdError } from '../../errors.ts'
import { fileMark, type ConsentRecord } from '../../store/consent.ts'
import type { Baseline } from '../../trust/difference.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { withoutSecrets } from '../../trust/without-secrets.ts'
import { manifestOf } from './installed-manifest.ts'
import type { Installed } from './installed.ts'

/**
 * What a new version is compared with: what the user agreed to last, as the record of it has it, else what is installed.
 * Null where neither is there.
 */
export const letInBefore = (record: ConsentRecord | null, installed: Installed): Baseline | null =>
  (record === null ? null : shownBefore(record)) ?? installedBaseline(installed)

/** What the user agreed to, as they were shown it; null where an older record does not say. */
export const shownBefore = ({ version, shown, files }: ConsentRecord): Baseline | null =>
  shown === undefined ? null : { version, surfaces: shown, files: new Map(Object.entries(files)) }

const installedBaseline = (installed: Installed): Baseline | null => {
  const { entry, tree } = installed
  if (entry === null || tree === null) return null
  const files = new Map(tree.files.map((file) => [file.path, fileMark(file)]))
  try {
    const surfaces = surfacesOf(manifestOf(installed), tree.files).map((surface) => ({ ...withoutSecrets(surface) }))
    return { version: entry.version, surfaces, files }
  } catch (error) {
    if (error instanceof GsdError) return { version: entry.version, surfaces: [], files }
    throw error
  }
}
