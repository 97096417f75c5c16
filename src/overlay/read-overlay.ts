import type { HostVersion } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import { satisfiesEngines } from '../manifest/engines.ts'
import { MANIFEST_FILE, MAX_MANIFEST_BYTES, type Manifest } from '../manifest/manifest.ts'
import { type ManifestText, parseManifest } from '../manifest/parse-manifest.ts'
import { quote } from '../redact.ts'
import type { Origin } from '../registry/registry.ts'
import { shellQuote } from '../shell-quote.ts'
import { isRange } from '../version-range.ts'
import { BundleReader } from './bundle-reader.ts'
import type { StatTracker } from './cache/stat-tracker.ts'
import type { FoundFolder } from './discover.ts'
import { type LoadError, type Overlay, unusableOverlay } from './overlay.ts'
import { readFragments } from './read-fragments.ts'

export interface ReadOverlayOptions {
  readonly tracker: StatTracker
  readonly origin: Origin
  readonly engines: EngineCheck
  /** Decides by the manifest, before fragments are read: null when the overlay may be loaded. */
  readonly gate: (manifest: Manifest, found: FoundFolder) => LoadError | null
}

/** Compares `engines` with the host version. */
export interface EngineCheck {
  readonly hostVersion: HostVersion
  readonly isSatisfied: (range: string) => boolean
}

/** Judges each range once: thousands of overlays share a few. */
export const createEngineCheck = (hostVersion: HostVersion): EngineCheck => {
  const results = new Map<string, boolean>()
  return {
    hostVersion,
    isSatisfied: (range) => {
      const result = results.get(range) ?? satisfiesEngines(range, hostVersion.version)
      results.set(range, result)
      return result
    },
  }
}

/**
 * Reads one bundle folder: manifest, engines, rules of the manifest, gate (consent), fragments. Every reason for which it
 * cannot be used has its own code. Never throws for what is on disk.
 */
export const readOverlay = (found: FoundFolder, options: ReadOverlayOptions): Overlay => {
  const { origin } = options
  const { folder, dir, refusal } = found
  const file = `${dir}/capability.json`
  if (refusal !== null) {
    const error = { ...refusal, status: 'invalid', hint: `check ${shellQuote(dir)}`, location: { file: dir } } as const
    return unusableOverlay(folder, origin, undefined, error)
  }
  const reader = new BundleReader(options.tracker, dir)
  const read = reader.read(MANIFEST_FILE, MAX_MANIFEST_BYTES)
  if (read.kind !== 'file')
    return unusableOverlay(folder, origin, undefined, unreadableManifestError(read.kind, read.reason, folder, file))
  const text = parseManifest(read.bytes, { file })
  const skip = (error: LoadError): Overlay =>
    unusableOverlay(folder, origin, text.value, {
      ...error,
      location: { file, ...error.location },
    })
  const incompatible = checkEngines(text, found, options)
  if (incompatible !== null) return skip(incompatible)
  const { manifest, diagnostics } = checkManifest(text, { firstParty: origin === 'first-party', forLoading: true })
  if (manifest === null) return skip(invalidManifestError(text, diagnostics, found))
  if (manifest.id !== folder) return skip(idMismatchError(manifest.id, found, text))
  const refused = options.gate(manifest, found)
  if (refused !== null) return skip(refused)
  const fragments = readFragments(options.tracker, dir, manifest, reader)
  if ('code' in fragments) return skip(fragments)
  return { kind: 'usable', id: folder, candidate: { manifest, origin, dir, fragments: fragments.texts } }
}

const unreadableManifestError = (kind: string, reason: string, folder: string, file: string): LoadError => {
  const location = { file }
  if (kind === 'absent')
    return {
      code: 'OVERLAY_NO_MANIFEST',
      status: 'invalid',
      reason: 'its folder has no capability.json',
      hint: `install the capability again, or delete the folder ${quote(folder)}`,
      location,
    }
  const code =
    kind === 'not-a-file' || kind === 'outside'
      ? 'OVERLAY_NOT_A_FILE'
      : kind === 'too-large'
        ? 'OVERLAY_INVALID'
        : 'OVERLAY_UNREADABLE'
  return {
    code,
    status: 'invalid',
    reason: `its capability.json ${reason}`,
    hint: `check ${shellQuote(file)}`,
    location,
  }
}

/** Checked before the rules of the manifest: a manifest for a newer GSD may break the rules of this one. */
const checkEngines = (
  text: ManifestText,
  { folder }: FoundFolder,
  { origin, engines: { hostVersion, isSatisfied } }: ReadOverlayOptions,
): LoadError | null => {
  const range = readEngineRange(text.value)
  if (range === null || isSatisfied(range)) return null
  const scope = origin === 'first-party' ? '' : ` --scope ${origin}`
  return {
    code: 'OVERLAY_INCOMPATIBLE',
    status: 'incompatible',
    reason: `it needs GSD ${quote(range)}, and this is ${hostVersion.version} (${hostVersion.from})`,
    hint: `gsd capability update ${folder}${scope}`,
    location: { path: '/engines/gsd', ...text.locate('/engines/gsd', 'value') },
  }
}

/** Null for a value that is not a range; the rules of the manifest report it. */
const readEngineRange = (value: unknown): string | null => {
  const engines = ownMember(value, 'engines')
  const range = ownMember(engines, 'gsd')
  return typeof range === 'string' && isRange(range) ? range : null
}

const ownMember = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined

const OVERLAY_CODES: ReadonlyMap<string, LoadError['code']> = new Map([
  ['MANIFEST_ID_RESERVED', 'OVERLAY_RESERVED_ID'],
  ['MANIFEST_ROLE_UNKNOWN', 'OVERLAY_UNKNOWN_ROLE'],
])

const invalidManifestError = (
  text: ManifestText,
  diagnostics: readonly Diagnostic[],
  { dir }: FoundFolder,
): LoadError => {
  const errors = diagnostics.filter((finding) => finding.severity === 'error')
  const cause = errors.find((finding) => OVERLAY_CODES.has(finding.code)) ?? errors[0]
  const code = OVERLAY_CODES.get(cause?.code ?? '') ?? (text.value === undefined ? 'OVERLAY_SYNTAX' : 'OVERLAY_INVALID')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return {
    code,
    status: code === 'OVERLAY_UNKNOWN_ROLE' ? 'incompatible' : 'invalid',
    reason: `${cause?.message ?? 'its capability.json is invalid'}${more}`,
    hint: `gsd capability validate ${shellQuote(dir)}`,
    location: locationOf(cause),
  }
}

const locationOf = (cause: Diagnostic | undefined): NonNullable<LoadError['location']> => ({
  ...(cause?.line === undefined ? {} : { line: cause.line }),
  ...(cause?.column === undefined ? {} : { column: cause.column }),
  ...(cause?.path === undefined ? {} : { path: cause.path }),
})

const idMismatchError = (id: string, { folder, dir }: FoundFolder, text: ManifestText): LoadError => ({
  code: 'OVERLAY_ID_MISMATCH',
  status: 'invalid',
  reason: `its folder is called ${quote(folder)}, but its manifest has the id ${quote(id)}`,
  hint: `rename the folder to ${quote(id)}, or delete it: ${shellQuote(dir)}`,
  location: { path: '/id', ...text.locate('/id', 'value') },
})
