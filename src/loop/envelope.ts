import type { Diagnostic } from '../diagnostic.ts'
import { LOOP, POINTS } from '../manifest/loop-contract.ts'
import type { Registry } from '../registry/registry.ts'
import type { Hook } from './hook.ts'
import { lostGatesAt, type LostGateRow } from './lost-gates.ts'
import { renderHooks } from './render.ts'
import { hooksAt, type HookQuestion, type InactiveHook } from './resolve-hooks.ts'

/** The answer to `loop render` (loop page, "The envelope"). */
export interface Envelope {
  readonly point: string
  readonly activeHooks: readonly Hook[]
  /** Markdown that a host may paste; empty without hooks. */
  readonly rendered: string
  readonly warnings: readonly Diagnostic[]
  readonly lostGates: readonly LostGateRow[]
  /** Only where it was asked why. */
  readonly inactiveHooks?: readonly InactiveHook[]
}

/** Renders a point. Pure. @throws GsdError USAGE_BAD_VALUE for an unknown point or role */
export const envelopeOf = (
  registry: Registry,
  point: string,
  question: HookQuestion & { readonly why?: boolean },
): Envelope => {
  const { activeHooks, inactiveHooks, warnings } = hooksAt(registry, point, question)
  const { text, warnings: escaped } = renderHooks(activeHooks, LOOP.points.get(point)?.roles ?? [])
  return {
    point,
    activeHooks,
    rendered: text,
    warnings: [...warnings, ...escaped],
    lostGates: lostGatesAt(registry, point),
    ...(question.why === true ? { inactiveHooks } : {}),
  }
}

/** All twelve points, in their order. */
export const allEnvelopes = (
  registry: Registry,
  question: Omit<HookQuestion, 'role'> & { readonly why?: boolean },
): readonly Envelope[] => POINTS.map((point) => envelopeOf(registry, point, question))
