import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { Registry } from '../registry/registry.ts'
import type { LostGate } from './lost-gate.ts'

/** The gates at a point that nothing checks, because their capability takes no part. */
export const lostGatesAt = (registry: Pick<Registry, 'lostGates'>, point: string): readonly LostGate[] =>
  registry.lostGates.filter((gate) => gate.point === point).map(({ point: _, ...gate }) => gate)

/** A lost gate as a warning. */
export const lostGateWarning = ({ capability, gate, reason, hint }: LostGate, point: string): Diagnostic =>
  diagnostic(
    'warning',
    'OVERLAY_GATE_LOST',
    `a gate of ${quote(capability)} at ${point} is not checked (${gate}): ${reason}`,
    { id: capability, hint },
  )
