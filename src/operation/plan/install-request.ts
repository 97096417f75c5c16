import type { Diagnostic, ScopeName } from '../../diagnostic.ts'
import type { Change } from '../../state/change.ts'
import type { ConsentPrompt } from '../../trust/consent/require-consent.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import type { ShownCode } from '../../trust/read-code.ts'

/** What `capability install` was asked to do, with all defaults filled in. */
export interface InstallRequest {
  readonly specs: readonly string[]
  readonly scope: ScopeName
  /** Integrity from `--integrity`; needs exactly one spec. */
  readonly integrity: string | null
  /** Host runtimes to wire, besides those the capability is wired into already. */
  readonly runtimes: readonly string[]
  /** Asks for hosts if none is named; null or left out without a terminal. */
  readonly chooseHosts?: ChooseHosts | null
  /** A settings file to wire too; needs exactly one spec and one runtime. */
  readonly settings: string | null
  readonly force: boolean
  /** Refuse if a host cannot have a part of a capability; default: wire the rest. */
  readonly strict?: boolean
  readonly replace: boolean
  /** An update: a capability that was installed as a requirement stays marked so. */
  readonly keepAuto?: boolean
  readonly allowHttp: boolean
  /** `--downgrade` true, `--no-downgrade` false, neither null. */
  readonly downgrade?: boolean | null
  /** Accept text with invisible characters. */
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly consentPrompt: ConsentPrompt
}

/** A host of this machine that can take what is being installed. */
export interface HostChoice {
  readonly id: string
  readonly title: string
  /** False for one that reads the files of another one that is offered: its hooks would run twice. */
  readonly preselected: boolean
}

/** Asks which hosts to wire. @throws INTERRUPTED */
export type ChooseHosts = (offers: readonly HostChoice[]) => Promise<readonly string[]>

/** One capability that was installed, as `--json` gives it. */
export interface InstalledRow {
  readonly id: string
  readonly version: string
  readonly scope: ScopeName
  readonly digest: string
  readonly spec: string
  readonly resolved: unknown
  readonly wired: readonly { readonly runtime: string; readonly file: string }[]
  readonly notWired: readonly { readonly runtime: string; readonly reason: string }[]
  readonly downgradedFrom?: string
}

export interface InstallAnswer {
  readonly installed: readonly InstalledRow[]
  readonly unchanged: readonly string[]
  /** Only with `--dry-run`: what would have been done. */
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

/** A plan as `--dry-run` shows it. */
export interface PlanView {
  readonly disclosures: readonly Disclosure[]
  readonly changes: readonly Change[]
  /** The text, or the difference, of what needs consent. */
  readonly code?: readonly ShownCode[]
}
