import type { HostVersion } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { checkManifest } from '../manifest/check.ts'
import { satisfiesEngines } from '../manifest/engines.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { type ManifestText, readManifest } from '../manifest/read.ts'
import { isRange } from '../manifest/versions.ts'
import { quote } from '../redact.ts'
import type { Origin } from '../registry/registry.ts'
import { shellWord } from '../shell-word.ts'
import type { Found } from './discover.ts'
import { readFragments } from './fragments.ts'
import { NO_FACE, type Overlay, type Trouble } from './overlay.ts'
import { InsideReader } from './read-inside.ts'
import { faceOf, unusable } from './unusable.ts'
import type { Witness } from './witness.ts'

export interface ReadOverlayOptions {
  readonly witness: Witness
  readonly origin: Origin
  readonly hostVersion: HostVersion
  /** Stands between the manifest and the fragments: null lets the overlay take part. */
  readonly gate: (manifest: Manifest, found: Found) => Trouble | null
}

const MANIFEST_LIMIT = 1024 * 1024

/**
 * Reads one bundle folder as far as it may be read: manifest, engines, own rules, the gate (consent), fragments. Each way
 * in which it cannot be used has a code of its own; nothing is thrown for what lies on disk.
 */
export const readOverlay = (found: Found, options: ReadOverlayOptions): Overlay => {
  const { origin } = options
  const { folder, dir, refused } = found
  const file = `${dir}/capability.json`
  if (refused !== null) {
    const trouble = { ...refused, status: 'invalid', hint: `look at ${shellWord(dir)}`, place: { file: dir } } as const
    return unusable(folder, origin, NO_FACE, trouble)
  }
  const inside = new InsideReader(options.witness, dir)
  const read = inside.read('capability.json', MANIFEST_LIMIT)
  if (read.kind !== 'file')
    return unusable(folder, origin, NO_FACE, unreadManifest(read.kind, read.reason, folder, file))
  const text = readManifest(read.bytes, { file })
  const skip = (trouble: Trouble): Overlay =>
    unusable(folder, origin, faceOf(text.value), { ...trouble, place: { file, ...trouble.place } })
  const newer = incompatible(text, found, options)
  if (newer !== null) return skip(newer)
  const { manifest, diagnostics } = checkManifest(text, { firstParty: origin === 'first-party', loading: true })
  if (manifest === null) return skip(invalid(text, diagnostics, found))
  if (manifest.id !== folder) return skip(otherId(manifest.id, found, text))
  const barred = options.gate(manifest, found)
  if (barred !== null) return skip(barred)
  const fragments = readFragments(options.witness, dir, manifest, inside)
  if ('code' in fragments) return skip(fragments)
  return { kind: 'usable', id: folder, candidate: { manifest, origin, dir, fragments: fragments.texts } }
}

const unreadManifest = (kind: string, reason: string, folder: string, file: string): Trouble => {
  const place = { file }
  if (kind === 'absent')
    return {
      code: 'OVERLAY_NO_MANIFEST',
      status: 'invalid',
      reason: 'its folder has no capability.json',
      hint: `put the bundle there again, or delete the folder ${quote(folder)}`,
      place,
    }
  const code =
    kind === 'not-a-file' || kind === 'outside'
      ? 'OVERLAY_NOT_A_FILE'
      : kind === 'too-large'
        ? 'OVERLAY_INVALID'
        : 'OVERLAY_UNREADABLE'
  return { code, status: 'invalid', reason: `its capability.json ${reason}`, hint: `look at ${shellWord(file)}`, place }
}

/** Judged before the manifest's own rules: what was written for a newer version may well break those of this one. */
const incompatible = (
  text: ManifestText,
  { folder }: Found,
  { origin, hostVersion }: ReadOverlayOptions,
): Trouble | null => {
  const range = enginesOf(text.value)
  if (range === null || satisfies(range, hostVersion.version)) return null
  const scope = origin === 'first-party' ? '' : ` --scope ${origin}`
  return {
    code: 'OVERLAY_INCOMPATIBLE',
    status: 'incompatible',
    reason: `it needs GSD ${quote(range)}, and this is ${hostVersion.version} (${hostVersion.from})`,
    hint: `gsd capability update ${folder}${scope}`,
    place: { path: '/engines/gsd', ...text.locate('/engines/gsd', 'value') },
  }
}

/** Thousands of overlays share a handful of ranges. */
const verdicts = new Map<string, boolean>()
const MOST_VERDICTS = 1000

const satisfies = (range: string, version: string): boolean => {
  const key = `${version} ${range}`
  const known = verdicts.get(key)
  if (known !== undefined) return known
  if (verdicts.size >= MOST_VERDICTS) verdicts.clear()
  const verdict = satisfiesEngines(range, version)
  verdicts.set(key, verdict)
  return verdict
}

/** A range that can be read; any other value is a fault of the manifest. */
const enginesOf = (value: unknown): string | null => {
  const engines = memberOf(value, 'engines')
  const range = memberOf(engines, 'gsd')
  return typeof range === 'string' && isRange(range) ? range : null
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined

const CODES_OF_CAUSES: ReadonlyMap<string, Trouble['code']> = new Map([
  ['MANIFEST_ID_RESERVED', 'OVERLAY_RESERVED_ID'],
  ['MANIFEST_ROLE_UNKNOWN', 'OVERLAY_UNKNOWN_ROLE'],
])

const invalid = (text: ManifestText, diagnostics: readonly Diagnostic[], { dir }: Found): Trouble => {
  const errors = diagnostics.filter((finding) => finding.severity === 'error')
  const cause = errors.find((finding) => CODES_OF_CAUSES.has(finding.code)) ?? errors[0]
  const code =
    CODES_OF_CAUSES.get(cause?.code ?? '') ?? (text.value === undefined ? 'OVERLAY_SYNTAX' : 'OVERLAY_INVALID')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return {
    code,
    status: code === 'OVERLAY_UNKNOWN_ROLE' ? 'incompatible' : 'invalid',
    reason: `${cause?.message ?? 'its capability.json is invalid'}${more}`,
    hint: `gsd capability validate ${shellWord(dir)}`,
    place: placeOf(cause),
  }
}

const placeOf = (cause: Diagnostic | undefined): NonNullable<Trouble['place']> => ({
  ...(cause?.line === undefined ? {} : { line: cause.line }),
  ...(cause?.column === undefined ? {} : { column: cause.column }),
  ...(cause?.path === undefined ? {} : { path: cause.path }),
})

const otherId = (id: string, { folder, dir }: Found, text: ManifestText): Trouble => ({
  code: 'OVERLAY_ID_MISMATCH',
  status: 'invalid',
  reason: `its folder is called ${quote(folder)}, but its manifest has the id ${quote(id)}`,
  hint: `rename the folder to ${quote(id)}, or delete it: ${shellWord(dir)}`,
  place: { path: '/id', ...text.locate('/id', 'value') },
})
