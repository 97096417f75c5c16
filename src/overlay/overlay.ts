import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import { cleanText, quote } from '../redact.ts'
import { type DeclaredGate, gatesIn } from '../registry/lost-gate.ts'
import type { Candidate, Origin, Row, Status } from '../registry/registry.ts'

/** What a list shows of a manifest, as far as it could be read. */
export type ManifestSummary = Pick<Row, 'role' | 'version' | 'tier' | 'title'>

/** A capability on disk that can be merged. */
export interface UsableOverlay {
  readonly kind: 'usable'
  readonly id: string
  readonly candidate: Candidate
}

/** A capability on disk that cannot be merged, and why. */
export interface UnusableOverlay {
  readonly kind: 'unusable'
  /** Name of its folder. */
  readonly id: string
  readonly scope: Origin
  readonly summary: ManifestSummary
  readonly status: Status
  /** With severity `warning`. */
  readonly diagnostic: Diagnostic
  /** A clause or sentence: `its folder has no capability.json`. */
  readonly reason: string
  /** What its manifest declares, as far as it can be read. */
  readonly gates: readonly DeclaredGate[]
}

export type Overlay = UsableOverlay | UnusableOverlay

export interface FirstPartySet {
  readonly overlays: readonly Overlay[]
  readonly warnings: readonly Diagnostic[]
}

/** Why an overlay cannot be used. */
export interface LoadError {
  readonly code: Diagnostic['code']
  readonly status: Status
  readonly reason: string
  readonly hint: string
  readonly location?: Pick<Diagnostic, 'file' | 'line' | 'column' | 'path'>
}

const EMPTY_SUMMARY: ManifestSummary = { role: '', version: '', tier: '', title: '' }

/** `scope` of a diagnostic; first-party capabilities have none. */
export const diagnosticScope = (origin: Origin): { readonly scope?: ScopeName } =>
  origin === 'first-party' ? {} : { scope: origin }

/**
 * An overlay that is skipped, with its warning.
 *
 * @param manifest as far as it could be read: any value; undefined: nothing
 */
export const unusableOverlay = (id: string, scope: Origin, manifest: unknown, error: LoadError): UnusableOverlay => ({
  kind: 'unusable',
  id,
  scope,
  summary: summarizeManifest(manifest),
  gates: gatesIn(manifest),
  status: error.status,
  reason: cleanText(error.reason),
  diagnostic: diagnostic('warning', error.code, `${quote(id)} (${scope}) is skipped: ${error.reason}`, {
    id,
    ...diagnosticScope(scope),
    ...error.location,
    hint: error.hint,
  }),
})

const MAX_SUMMARY_LENGTH = 120

/** Summarizes a manifest that may be any value. */
const summarizeManifest = (value: unknown): ManifestSummary => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return EMPTY_SUMMARY
  const text = (key: keyof ManifestSummary): string => {
    const member: unknown = Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined
    return typeof member === 'string' ? cleanText(member.slice(0, MAX_SUMMARY_LENGTH)) : ''
  }
  return { role: text('role'), version: text('version'), tier: text('tier'), title: text('title') }
}
