import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { inOrder } from '../../in-order.ts'
import type { Gate, GateCheck } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { Attached } from '../../registry/registry.ts'
import { activationOf } from '../activation.ts'
import { consentNow } from '../consent-now.ts'
import { lostGatesAt, type LostGateRow } from '../lost-gates.ts'
import { loopPoint } from '../points.ts'
import { attachedAt } from '../resolve-hooks.ts'
import { answerQuery, type QuerySources } from './answer-query.ts'
import type { GateInput } from './gate-input.ts'
import { failed, type Outcome } from './outcome.ts'
import { evaluate } from './predicate-kinds.ts'

/** One gate with its verdict. */
export interface GateRow {
  readonly capability: string
  readonly check: GateCheck
  readonly verdict: Outcome['verdict']
  readonly blocking: boolean
  readonly reason: string
  readonly onError: Gate['onError']
  readonly details: Readonly<Record<string, unknown>>
  /** Of an agent verdict: who gives it, and what it is asked. */
  readonly ref?: unknown
  readonly prompt?: unknown
}

/** The answer to `loop gate`. */
export interface GateReport {
  readonly point: string
  /** Whether the host must stop here. */
  readonly blocked: boolean
  readonly gates: readonly GateRow[]
  readonly lostGates: readonly LostGateRow[]
  readonly warnings: readonly Diagnostic[]
}

export interface GateQuestion {
  readonly input: GateInput
  readonly runtime: string | null
  /** Only the gates of this capability; null: all. */
  readonly only: string | null
  /** Runs no program; what would need one is deferred. */
  readonly dryRun?: boolean
}

type AttachedGate = Extract<Attached, { kind: 'gate' }>

const AT_ONCE = 4

/**
 * Evaluates the active gates of a point, at most four at a time; the rows are in the order of the loop.
 * @throws GsdError USAGE_BAD_VALUE for an unknown point or capability, INTERRUPTED when the signal ends it
 */
export const gatesAt = async (
  sources: Omit<QuerySources, 'activation'>,
  name: string,
  { input, runtime, only, dryRun = false }: GateQuestion,
): Promise<GateReport> => {
  const { point } = loopPoint(name)
  const { registry } = sources
  const activation = activationOf(registry, { config: input.config, runtime })
  const attached = attachedAt(registry, point).filter((hook) => hook.kind === 'gate')
  const chosen = only === null ? attached : attached.filter(({ capability }) => capability === only)
  if (only !== null && chosen.length === 0) throw noSuchGate(point, only, attached)
  const active = chosen.filter((hook) => activation.hook(hook).active)
  const gates = await inOrder(active, AT_ONCE, (hook) => rowOf(hook, input, { ...sources, activation, dryRun }))
  return {
    point,
    blocked: gates.some(stops),
    gates,
    lostGates: lostGatesAt(registry, point),
    warnings: [...input.config.warnings(), ...gates.filter(isPassedOver).map(passedOver)],
  }
}

/** Who answers, and whether a program may run for it. */
type Sources = QuerySources & { readonly dryRun: boolean }

const rowOf = async (hook: AttachedGate, input: GateInput, sources: Sources): Promise<GateRow> => {
  const { capability, gate } = hook
  const { verdict, message, details } = await outcomeOf(hook, input, sources)
  return {
    capability,
    check: gate.check,
    verdict,
    blocking: gate.blocking,
    reason: message,
    onError: gate.onError,
    details,
    ...('agentVerdict' in gate.check ? adviceOf(gate.check.agentVerdict) : {}),
  }
}

const adviceOf = ({
  ref,
  prompt,
}: Readonly<Record<string, unknown>>): { readonly ref?: unknown; readonly prompt?: unknown } => ({
  ...(ref === undefined ? {} : { ref }),
  ...(prompt === undefined ? {} : { prompt }),
})

const outcomeOf = (
  { capability, gate: { check } }: AttachedGate,
  input: GateInput,
  sources: Sources,
): Promise<Outcome> => {
  const isCommand = 'predicate' in check && check.predicate.kind === 'command-exit-zero'
  if (sources.dryRun && (isCommand || 'query' in check))
    return Promise.resolve({ verdict: 'deferred', message: 'not evaluated: --dry-run runs no program', details: {} })
  if ('query' in check) return answerQuery(check.query, input, sources)
  if ('agentVerdict' in check)
    return Promise.resolve({ verdict: 'advisory', message: 'an agent of the host judges this', details: {} })
  const candidate = sources.registry.capabilities.get(capability)
  if (check.predicate.kind === 'command-exit-zero' && candidate !== undefined) {
    const refused = consentNow(candidate, sources.context)
    if (refused !== null)
      return Promise.resolve(failed(`its command does not run: ${refused.reason}`, { hint: refused.hint }))
  }
  return evaluate(check.predicate, { ...input, capabilityDir: candidate?.dir ?? null })
}

const stops = ({ blocking, verdict, onError }: GateRow): boolean =>
  blocking && (verdict === 'block' || (verdict === 'error' && onError === 'halt'))

const isPassedOver = (row: GateRow): boolean => row.verdict === 'error' && !stops(row)

const passedOver = ({ capability, reason }: GateRow): Diagnostic =>
  diagnostic('warning', 'OVERLAY_GATE_ERROR', `a gate of ${quote(capability)} could not be evaluated: ${reason}`, {
    id: capability,
    hint: `gsd capability state ${capability}`,
  })

const noSuchGate = (point: string, only: string, attached: readonly AttachedGate[]): GsdError => {
  const owners = [...new Set(attached.map(({ capability }) => capability))]
  return new GsdError('USAGE_BAD_VALUE', `${quote(only)} has no gate at ${point}`, {
    hint:
      owners.length === 0
        ? `no capability has a gate at ${point}`
        : `capabilities with a gate there: ${owners.join(', ')}`,
  })
}
