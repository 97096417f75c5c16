import { LOOP, POINTS } from '../manifest/loop-contract.ts'
import type { Registry } from '../registry/registry.ts'
import { activationOf } from './activation.ts'
import type { Config } from './config/config.ts'
import type { Hook } from './hook.ts'
import { artifactsAt, loopPoint } from './points.ts'
import { attachedAt } from './resolve-hooks.ts'
import { targetOf } from './target.ts'

/** A hook as `loop points` shows it. */
export interface HookRow {
  readonly capId: string
  readonly kind: Hook['kind']
  readonly target: string
  readonly configured: boolean
  readonly active: boolean
  /** The first reason that stops it. */
  readonly reason: string | null
}

/** A point as `loop points` shows it. */
export interface PointRow {
  readonly point: string
  readonly step: string
  readonly roles: readonly string[]
  /** Host artefacts that can be consumed there. */
  readonly artifacts: readonly string[]
  readonly hooks: readonly HookRow[]
}

/**
 * What is attached to one point, or to all of them in their order, and whether it runs. Pure.
 * @throws GsdError USAGE_BAD_VALUE for an unknown point
 */
export const pointRows = (
  registry: Registry,
  {
    point,
    config,
    runtime,
  }: { readonly point: string | null; readonly config: Config; readonly runtime: string | null },
): readonly PointRow[] => {
  const activation = activationOf(registry, { config, runtime })
  const names = point === null ? POINTS : [loopPoint(point).point]
  return names.flatMap((name) => {
    const known = LOOP.points.get(name)
    if (known === undefined) return []
    const hooks = attachedAt(registry, name).map((attached): HookRow => {
      const { configured, active, stop } = activation.hook(attached)
      const { capability: capId, kind } = attached
      return { capId, kind, target: targetOf(attached), configured, active, reason: stop?.reason ?? null }
    })
    return [{ point: name, step: known.step, roles: known.roles, artifacts: artifactsAt(known), hooks }]
  })
}
