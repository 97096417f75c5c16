import type { Diagnostic } from '../diagnostic.ts'
import type { Attached, Registry } from '../registry/registry.ts'
import { activationOf, type HookActivation } from './activation.ts'
import type { Config } from './config/config.ts'
import { hookOf, type Hook } from './hook.ts'
import { loopPoint, roleOf } from './points.ts'
import { targetOf } from './target.ts'

/** What decides which hooks of a point run. */
export interface HookQuestion {
  readonly config: Config
  readonly runtime: string | null
  /** Only contributions into this role; null: all hooks. */
  readonly role?: string | null
}

/** A hook that does not run, and why. */
export interface InactiveHook {
  readonly capId: string
  readonly kind: Hook['kind']
  /** `skill ui-phase`, `into planner`, `query ui.safety-gate`. */
  readonly target: string
  readonly configured: boolean
  readonly reason: string
}

/** The hooks of a point in their order, those that run and those that do not. */
export interface PointHooks {
  readonly point: string
  readonly activeHooks: readonly Hook[]
  readonly inactiveHooks: readonly InactiveHook[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Which hooks of a point run: those whose capability is active and whose own keys hold. Pure.
 * @throws GsdError USAGE_BAD_VALUE for an unknown point or role
 */
export const hooksAt = (registry: Registry, name: string, { config, runtime, role }: HookQuestion): PointHooks => {
  const point = loopPoint(name)
  const into = role === undefined || role === null ? null : roleOf(point, role)
  const activation = activationOf(registry, { config, runtime })
  const activeHooks: Hook[] = []
  const inactiveHooks: InactiveHook[] = []
  for (const attached of attachedAt(registry, name)) {
    if (into !== null && !isInto(attached, into)) continue
    const judged = activation.hook(attached)
    if (judged.active) activeHooks.push(hookOf(attached, config))
    else inactiveHooks.push(inactive(attached, judged))
  }
  return { point: name, activeHooks, inactiveHooks, warnings: config.warnings() }
}

/** Everything attached to a point, in the order of the loop. */
export const attachedAt = (registry: Pick<Registry, 'byLoopPoint'>, point: string): readonly Attached[] =>
  registry.byLoopPoint.get(point) ?? []

const isInto = (attached: Attached, role: string): boolean =>
  attached.kind === 'contribution' && attached.contribution.into === role

const inactive = (attached: Attached, { configured, stop }: HookActivation): InactiveHook => ({
  capId: attached.capability,
  kind: attached.kind,
  target: targetOf(attached),
  configured,
  reason: stop?.reason ?? '',
})
