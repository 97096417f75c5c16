import { createHash } from 'node:crypto'
import type { Manifest } from '../manifest/manifest.ts'
import { canonicalJson } from './signature.ts'

/** Members that describe a capability to people and installers, and nothing else. */
const DESCRIBING = new Set<string>([
  '$schema',
  'version',
  'title',
  'description',
  'engines',
  'compatVersions',
  'integrity',
  'provenance',
  'author',
  'homepage',
  'repository',
  'license',
  'keywords',
])

/**
 * A mark of a manifest that is another one when anything but its description changes. With it a new version with new prose
 * needs no new consent, and one whose manifest says anything else does (security page, "Disclosure and consent").
 */
export const manifestCore = (manifest: Manifest): string => {
  const core = Object.fromEntries(Object.entries(manifest).filter(([key]) => !DESCRIBING.has(key)))
  return createHash('sha512').update(canonicalJson(core)).digest('hex').slice(0, 24)
}
