import type { Manifest } from '../manifest/manifest.ts'
import { sha512Hex, sha512Integrity } from '../platform/hash.ts'
import type { Surface } from './surface.ts'

/**
 * Identifies a set of surfaces: `sha512-<base64>` of their canonical JSON. The order of object keys and of the surfaces does
 * not matter.
 */
export const surfaceSignature = (surfaces: readonly Surface[]): string => {
  const lines = surfaces.map(canonicalJson).sort()
  return sha512Integrity(lines.join('\n'))
}

/**
 * Whether a recorded signature is that of these surfaces. Versions of the program before scripts of skills were disclosed
 * recorded the other surfaces alone; a derived record such as a ledger entry stays right then.
 */
export const matchesSignature = (recorded: string | undefined, surfaces: readonly Surface[]): boolean =>
  recorded === surfaceSignature(surfaces) ||
  recorded === surfaceSignature(surfaces.filter(({ kind }) => kind !== 'skill-script'))

/** JSON with sorted keys and without undefined members. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

/** Members that only describe a capability to people and installers. */
const DESCRIPTIVE_MEMBERS = new Set<string>([
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
 * A fingerprint of a manifest without its descriptive members: a version that changes only those needs no new consent
 * (security page, "Disclosure and consent").
 */
export const manifestFingerprint = (manifest: Manifest): string => {
  const core = Object.fromEntries(Object.entries(manifest).filter(([key]) => !DESCRIPTIVE_MEMBERS.has(key)))
  return sha512Hex(canonicalJson(core)).slice(0, 24)
}
