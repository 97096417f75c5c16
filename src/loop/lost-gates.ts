import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { LostGate } from '../registry/lost-gate.ts'
import type { Registry } from '../registry/registry.ts'

/** A lost gate as the answer for one point has it. */
export type LostGateRow = Omit<LostGate, 'point'>

/** The gates at a point that nothing checks, because their capability takes no part. */
export const lostGatesAt = (registry: Pick<Registry, 'lostGates'>, point: string): readonly LostGateRow[] =>
  registry.lostGates
    .filter((lost) => lost.point === point)
    .map(({ capability, gate, code, reason, hint }) => ({ capability, gate, code, reason, hint }))

/** A lost gate as a warning. */
export const lostGateWarning = ({ capability, gate, reason, hint }: LostGateRow, point: string): Diagnostic =>
  diagnostic(
    'warning',
    'OVERLAY_GATE_LOST',
    `a gate of ${quote(capability)} at ${point} is not checked (${gate}): ${reason}`,
    { id: capability, hint },
  )
