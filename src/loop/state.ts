import { GsdError } from '../errors.ts'
import { POINTS } from '../manifest/loop-contract.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import { attachedByPoint } from '../registry/attached-by-point.ts'
import type { Attached, Registry, Row } from '../registry/registry.ts'
import { activationOf, type HookActivation } from './activation.ts'
import type { Config } from './config/config.ts'
import { excludedManifest } from './installed-manifest.ts'
import type { LoopContext } from './loop-context.ts'
import { attachedAt } from './resolve-hooks.ts'
import { targetOf } from './target.ts'

/** A hook in the answer to `capability state`. */
export interface HookState {
  readonly point: string
  readonly kind: Attached['kind']
  readonly target: string
  readonly configured: boolean
  readonly active: boolean
  readonly reason: string | null
}

/** A capability with the links of its chain; `reason` says where the chain breaks first. */
export interface CapabilityState {
  readonly id: string
  readonly scope: Row['scope']
  readonly version: string
  readonly installed: boolean
  readonly consented: boolean
  readonly enabled: boolean
  /** Whether `engines`, and the runtime that asks, allow it. */
  readonly compatible: boolean
  readonly active: boolean
  readonly reason: string | null
  readonly hooks: readonly HookState[]
}

export interface StateQuestion {
  /** Null: every capability. */
  readonly id: string | null
  readonly config: Config
  readonly runtime: string | null
  readonly context: LoopContext
}

/**
 * Why each capability, and each hook of it, runs or does not (loop page, `capability state`): installed, consented,
 * enabled, engines, runtimeCompat, activationKey, when, requires.
 * @throws GsdError STATE_NOT_INSTALLED for an id that nothing has
 */
export const capabilityStates = (registry: Registry, question: StateQuestion): readonly CapabilityState[] => {
  const rows = question.id === null ? registry.rows : registry.rows.filter(({ id }) => id === question.id)
  if (question.id !== null && rows.length === 0) throw unknownId(registry, question.id)
  const activation = activationOf(registry, question)
  const attached = hooksByOwner(registry)
  return rows.map((row): CapabilityState => {
    const { id, scope, version, status } = row
    const accepted = status === 'active' || status === 'orphan'
    const stop = accepted ? activation.capability(id) : null
    const reason = accepted ? (stop?.reason ?? null) : (row.reason ?? status)
    const hooks = accepted
      ? (attached.get(id) ?? []).map((hook) => hookState(hook, activation.hook(hook)))
      : declaredHooks(registry, row, question).map((hook) =>
          hookState(hook, { ...activation.hook(hook), active: false, stop: { reason: reason ?? '' } }),
        )
    return {
      id,
      scope,
      version,
      installed: status !== 'missing',
      consented: status !== 'inactive',
      enabled: status !== 'disabled',
      compatible: status !== 'incompatible' && stop?.link !== 'runtimeCompat',
      active: accepted && stop === null,
      reason,
      hooks,
    }
  })
}

interface Judgement extends Pick<HookActivation, 'configured' | 'active'> {
  readonly stop: { readonly reason: string } | null
}

const hookState = (hook: Attached, { configured, active, stop }: Judgement): HookState => ({
  point: pointOf(hook),
  kind: hook.kind,
  target: targetOf(hook),
  configured,
  active,
  reason: stop?.reason ?? null,
})

const pointOf = (hook: Attached): string =>
  hook.kind === 'step' ? hook.step.point : hook.kind === 'contribution' ? hook.contribution.point : hook.gate.point

const hooksByOwner = (registry: Registry): ReadonlyMap<string, readonly Attached[]> => {
  const byOwner = new Map<string, Attached[]>()
  for (const point of POINTS)
    for (const hook of attachedAt(registry, point)) {
      const own = byOwner.get(hook.capability)
      if (own === undefined) byOwner.set(hook.capability, [hook])
      else own.push(hook)
    }
  return byOwner
}

/** What a capability that takes no part would attach, as far as its manifest can be read. */
const declaredHooks = (registry: Registry, row: Row, { context }: StateQuestion): readonly Attached[] => {
  const manifest = excludedManifest(registry, row, context)
  if (manifest === null) return []
  const candidate = { manifest, origin: row.scope, dir: null, fragments: {} }
  return [...attachedByPoint([{ id: row.id, rank: 0, candidate }]).values()].flat()
}

const unknownId = (registry: Registry, id: string): GsdError => {
  const near = nearestWord(
    id,
    registry.rows.map((row) => row.id),
  )
  return new GsdError('STATE_NOT_INSTALLED', `there is no capability ${quote(id)}`, {
    hint: near === null ? 'gsd capability list shows them' : `did you mean ${near}?`,
  })
}
