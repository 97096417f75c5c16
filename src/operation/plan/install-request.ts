import type { Diagnostic, ScopeName } from '../../diagnostic.ts'
import type { Change } from '../../state/change.ts'
import type { ConsentPrompt } from '../../trust/consent/require-consent.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import type { ChooseHosts } from './detect-hosts.ts'

/** What `capability install` was asked to do, made whole at the door. */
export interface InstallRequest {
  readonly specs: readonly string[]
  readonly scope: ScopeName
  /** Integrity the user states; goes with exactly one spec. */
  readonly integrity: string | null
  /** Host runtimes to wire, beside those the capability is wired into already. */
  readonly runtimes: readonly string[]
  /** Asks for hosts where none is named; null or left out: nobody can be asked. */
  readonly chooseHosts?: ChooseHosts | null
  /** A settings file to wire too; goes with exactly one spec and one runtime. */
  readonly settings: string | null
  readonly force: boolean
  readonly replace: boolean
  /** An update: what came along as a requirement stays marked so. */
  readonly keepAuto?: boolean
  readonly allowHttp: boolean
  /** `--downgrade` true, `--no-downgrade` false, neither null. */
  readonly downgrade?: boolean | null
  /** Let text in that holds characters a reader does not see. */
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly consentPrompt: ConsentPrompt
}

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
}
