import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import type {
  CommandFamily,
  ConfigEntry,
  Contribution,
  Gate,
  Manifest,
  Reviewer,
  Step,
  Tier,
} from '../manifest/manifest.ts'

export type Origin = 'first-party' | ScopeName

/** A manifest together with where it came from and what its fragments say. */
export interface Candidate {
  readonly manifest: Manifest
  readonly origin: Origin
  /** Absolute folder; null for first-party capabilities, which live in the program. */
  readonly dir: string | null
  /** Relative fragment path → text, read and confined. */
  readonly fragments: Readonly<Record<string, string>>
}

export type Status =
  | 'active'
  | 'disabled'
  | 'shadowed'
  | 'inactive'
  | 'incompatible'
  | 'invalid'
  | 'collision'
  | 'blocked'
  | 'missing'
  | 'orphan'

/** One row of `capability list`: everything known of one capability in one place, flat. */
export interface Row {
  readonly id: string
  readonly role: string
  readonly version: string
  readonly tier: string
  readonly title: string
  readonly scope: Origin
  readonly status: Status
  readonly code: Diagnostic['code'] | null
  readonly reason: string | null
  readonly source: string | null
}

/** A step, contribution or gate with the capability that declares it, in the order of the loop. */
export type Attached =
  | { readonly kind: 'step'; readonly capability: string; readonly step: Step; readonly text: string | null }
  | {
      readonly kind: 'contribution'
      readonly capability: string
      readonly contribution: Contribution
      readonly text: string
    }
  | { readonly kind: 'gate'; readonly capability: string; readonly gate: Gate }

/** The merged set. Every view is by own keys only: look-ups go through Maps, never through prototypes. */
export interface Registry {
  readonly capabilities: ReadonlyMap<string, Candidate>
  readonly bySkill: ReadonlyMap<string, string>
  readonly byAgent: ReadonlyMap<string, string>
  readonly byLoopPoint: ReadonlyMap<string, readonly Attached[]>
  readonly configKeys: ReadonlyMap<string, ConfigEntry & { readonly owner: string }>
  /** Capability → the configuration key that switches it on (rule 23); those without one are always on. */
  readonly activationKeys: ReadonlyMap<string, string>
  readonly runtimes: ReadonlyMap<string, Manifest>
  readonly reviewers: ReadonlyMap<string, Reviewer & { readonly owner: string }>
  readonly commandFamilies: ReadonlyMap<string, CommandFamily & { readonly owner: string }>
  /** The capability and everything it requires, requirements first. */
  requiresClosure(id: string): readonly string[]
  /** Ids of an install profile: that tier and below, with everything they require. */
  profile(tier: Tier): readonly string[]
}

/** A capability of the merged set. */
export interface MergedCapability {
  readonly id: string
  /** See `RANKS`. */
  readonly rank: number
  readonly candidate: Candidate
}
