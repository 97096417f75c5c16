import type { Predicate } from '../../manifest/manifest.ts'
import type { GateInput } from './gate-input.ts'
import { evaluate } from './predicate-kinds.ts'

/** The answer to one predicate. What could not be evaluated blocks, and `details.error` says so. */
export interface PredicateAnswer {
  readonly block: boolean
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Evaluates a predicate without a manifest. @throws GsdError INTERRUPTED */
export const predicateAnswer = async (predicate: Predicate, input: GateInput): Promise<PredicateAnswer> => {
  const { verdict, message, details } = await evaluate(predicate, { ...input, capabilityDir: null })
  return {
    block: verdict !== 'pass',
    message,
    details: { kind: predicate.kind, ...details, ...(verdict === 'error' ? { error: true } : {}) },
  }
}
