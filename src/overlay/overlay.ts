import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import type { Candidate, Origin, Row, Status } from '../registry/registry.ts'

/** What a row of the list says of a manifest, as far as it could be read. */
export type Face = Pick<Row, 'role' | 'version' | 'tier' | 'title'>

/** A capability on disk that can take part in the merged set. */
export interface UsableOverlay {
  readonly kind: 'usable'
  readonly id: string
  readonly candidate: Candidate
}

/** A capability on disk that cannot, and why. */
export interface UnusableOverlay {
  readonly kind: 'unusable'
  /** Name of its folder. */
  readonly id: string
  readonly scope: Origin
  readonly face: Face
  readonly status: Status
  /** Says it all; severity is `warning`. */
  readonly diagnostic: Diagnostic
  /** Follows the name of the capability: `has no capability.json`. */
  readonly reason: string
}

export type Overlay = UsableOverlay | UnusableOverlay

/** What {@link unusable} needs beside the words. */
export interface Trouble {
  readonly code: Diagnostic['code']
  readonly status: Status
  readonly reason: string
  readonly hint: string
  readonly place?: Pick<Diagnostic, 'file' | 'line' | 'column' | 'path'>
}

export const NO_FACE: Face = { role: '', version: '', tier: '', title: '' }

/** `scope` of a diagnostic; first-party capabilities have none. */
export const scopeOf = (origin: Origin): { readonly scope?: ScopeName } =>
  origin === 'first-party' ? {} : { scope: origin }
