import type { Config } from '../config/config.ts'

/** What the host says of the phase it is in, and where it is. */
export interface PhaseInput {
  /** Real path of the project; null: there is none. */
  readonly project: string | null
  /** Absolute path of the phase's folder, which need not exist. */
  readonly phaseDir: string | null
  readonly phaseNumber: string
  /** Comma-separated ids of requirements. */
  readonly phaseReqIds: string
}

/** Everything a check may look at. */
export interface GateInput extends PhaseInput {
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** The same with the folder of the capability that declares a predicate; null where no capability does. */
export type PredicateInput = GateInput & { readonly capabilityDir: string | null }
