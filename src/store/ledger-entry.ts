import type { SpecKind } from '../spec/spec.ts'

/** What a spec turned out to be, in a form that resolves again. */
export interface Resolved {
  readonly kind: SpecKind
  readonly url?: string
  readonly commit?: string
  readonly tag?: string
  readonly version?: string
  readonly path?: string
}

/** One capability in `ledger.json`. Portable: no absolute paths, no times (contract, "Files"). */
export interface LedgerEntry {
  readonly version: string
  /** A spec that resolves from any working directory; local ones relative to the real scope root. */
  readonly spec: string
  readonly resolved: Resolved
  /** `sha512-…` over the artifact's bytes; null where the source has no artifact. */
  readonly integrity: string | null
  /** `sha512-…` over the bundle tree. */
  readonly digest: string
  readonly requires: readonly string[]
  readonly auto?: true
  /** Signature of the executable surfaces. */
  readonly surfaces: string
  /** Ids of the host runtimes it is wired into, sorted. */
  readonly runtimes: readonly string[]
}
