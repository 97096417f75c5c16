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
import type { LostGate } from './lost-gate.ts'

export type Origin = 'first-party' | ScopeName

/** A manifest with its origin and the texts of its fragments. */
export interface Candidate {
  readonly manifest: Manifest
  readonly origin: Origin
  /** Absolute folder; null for first-party capabilities, which are part of the program. */
  readonly dir: string | null
  /** Relative fragment path → text. */
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

/** One row of `capability list`. */
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
  /** Ids of the host runtimes that it was installed for, from the ledger. */
  readonly hosts: readonly string[]
}

/** A step, contribution or gate with the capability that declares it, in the order of the loop. */
export type Attached = AttachedHook & {
  readonly capability: string
  readonly scope: Origin
  readonly version: string
}

type AttachedHook =
  | { readonly kind: 'step'; readonly step: Step; readonly text: string | null }
  | { readonly kind: 'contribution'; readonly contribution: Contribution; readonly text: string }
  | { readonly kind: 'gate'; readonly gate: Gate }

/** What decides whether a capability of the merged set is active; members that ask for nothing are absent. */
export interface ActivationConditions {
  /** The configuration key that switches it on (rule 23). */
  readonly activationKey?: string
  readonly supported?: readonly string[]
  readonly unsupported?: readonly string[]
  readonly requires?: readonly string[]
}

/** The merged set. Views are Maps, so that look-ups never reach a prototype. */
export interface Registry {
  readonly capabilities: ReadonlyMap<string, Candidate>
  readonly bySkill: ReadonlyMap<string, string>
  readonly byAgent: ReadonlyMap<string, string>
  readonly byLoopPoint: ReadonlyMap<string, readonly Attached[]>
  readonly configKeys: ReadonlyMap<string, ConfigEntry & { readonly owner: string }>
  /** Capability → what decides whether it is active; those without an entry always are. */
  readonly conditions: ReadonlyMap<string, ActivationConditions>
  readonly runtimes: ReadonlyMap<string, Manifest>
  readonly reviewers: ReadonlyMap<string, Reviewer & { readonly owner: string }>
  readonly commandFamilies: ReadonlyMap<string, CommandFamily & { readonly owner: string }>
  /** Everything that was found, active or not: first-party, then project, then global; each by id. */
  readonly rows: readonly Row[]
  /** Capabilities that could be read and take no part: disabled, shadowed, in collision or blocked. */
  readonly excluded: readonly Candidate[]
  /** Gates that nothing checks, because their capability takes no part. */
  readonly lostGates: readonly LostGate[]
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
