import { quote } from '../redact.ts'
import type { Attached, Registry } from '../registry/registry.ts'
import type { Config } from './config/config.ts'
import { isTruthy } from './config/value-type.ts'

/** The links of the chain that a capability of the merged set, or a hook of it, can break at, in their order. */
export type Link = 'runtimeCompat' | 'activationKey' | 'when' | 'pointFrom' | 'requires'

/** The first link that does not hold, with the sentence for a person. */
export interface Stop {
  readonly link: Link
  /** `the key "ui.enabled" is false` */
  readonly reason: string
}

/** Whether a hook runs. `configured` asks for its own keys alone, `active` for the whole chain. */
export interface HookActivation {
  readonly configured: boolean
  readonly active: boolean
  readonly stop: Stop | null
}

export interface Activation {
  /** The first link at which a capability stops as a whole; null: it is active. */
  capability(id: string): Stop | null
  hook(attached: Attached): HookActivation
}

export interface ActivationInput {
  readonly config: Config
  /** Id of the host runtime that asks; null: any, so `runtimeCompat` is not judged. */
  readonly runtime: string | null
}

/** The same for all that run: there may be thousands. */
const RUNS: HookActivation = { configured: true, active: true, stop: null }

/** Judges which capabilities and hooks of a registry run (loop page, the chain of `capability state`). Pure. */
export const activationOf = (
  registry: Pick<Registry, 'conditions'>,
  { config, runtime }: ActivationInput,
): Activation => {
  const own = memo((id: string) => ownStop(registry, id, { config, runtime }))
  const whole = new Map<string, Stop | null>()
  const judgeAlone = (id: string): Stop | null => {
    const stop = own(id)
    if (stop !== null) return stop
    for (const required of requiresOf(registry, id)) {
      const cause = whole.get(required)
      if (cause !== undefined && cause !== null)
        return { link: 'requires', reason: `it requires ${quote(required)}, which is inactive: ${cause.reason}` }
    }
    return null
  }
  const capability = (id: string): Stop | null => {
    if (requiresOf(registry, id).length === 0) return own(id)
    visitRequirements(registry, id, whole, judgeAlone)
    return whole.get(id) ?? null
  }
  return {
    capability,
    hook(attached) {
      const ownKeys = hookStop(attached, config)
      const before = own(attached.capability)
      const stop = before ?? ownKeys ?? capability(attached.capability)
      return ownKeys === null && stop === null ? RUNS : { configured: ownKeys === null, active: stop === null, stop }
    },
  }
}

/** Judges a capability after everything it requires, without recursion: a chain of requirements can be long. */
const visitRequirements = (
  registry: Pick<Registry, 'conditions'>,
  start: string,
  judged: Map<string, Stop | null>,
  judge: (id: string) => Stop | null,
): void => {
  const entered = new Set<string>()
  const open = [start]
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const waiting = judged.has(id) || entered.has(id) ? [] : requiresOf(registry, id).filter((it) => !judged.has(it))
    if (waiting.length > 0) {
      entered.add(id)
      open.push(...waiting)
      continue
    }
    open.pop()
    if (!judged.has(id)) judged.set(id, judge(id))
  }
}

const requiresOf = (registry: Pick<Registry, 'conditions'>, id: string): readonly string[] =>
  registry.conditions.get(id)?.requires ?? []

const ownStop = (
  registry: Pick<Registry, 'conditions'>,
  id: string,
  { config, runtime }: ActivationInput,
): Stop | null => {
  const { activationKey: key, supported, unsupported } = registry.conditions.get(id) ?? {}
  if (runtime !== null && unsupported?.includes(runtime) === true)
    return { link: 'runtimeCompat', reason: `it does not support the runtime ${quote(runtime)}` }
  if (runtime !== null && supported?.includes(runtime) === false)
    return {
      link: 'runtimeCompat',
      reason: `it supports ${supported.map(quote).join(', ')}, and the runtime is ${quote(runtime)}`,
    }
  return key === undefined || isTruthy(config.value(key))
    ? null
    : { link: 'activationKey', reason: `its activation key ${quote(key)} ${stateOf(config, key)}` }
}

const hookStop = (attached: Attached, config: Config): Stop | null => {
  const { when, point, pointFrom } = declarationOf(attached)
  if (when !== undefined && !isTruthy(config.value(when)))
    return { link: 'when', reason: `the key ${quote(when)} ${stateOf(config, when)}` }
  if (pointFrom !== undefined && config.value(pointFrom) !== point)
    return {
      link: 'pointFrom',
      reason: `the key ${quote(pointFrom)} chooses ${quote(config.value(pointFrom) ?? null)}, not ${point}`,
    }
  return null
}

interface Declaration {
  readonly point: string
  readonly when?: string
  readonly pointFrom?: string
}

/** Step, contribution or gate as one shape. */
const declarationOf = (attached: Attached): Declaration =>
  attached.kind === 'step' ? attached.step : attached.kind === 'contribution' ? attached.contribution : attached.gate

const stateOf = (config: Config, key: string): string => {
  const resolved = config.resolved(key)
  if (resolved === null) return 'is not declared'
  const { value, origin } = resolved
  return `is ${value === undefined ? 'not set' : quote(value)} (${origin})`
}

const memo = <T>(make: (id: string) => T): ((id: string) => T) => {
  const known = new Map<string, T>()
  return (id) => {
    const before = known.get(id)
    if (before !== undefined || known.has(id)) return before as T
    const value = make(id)
    known.set(id, value)
    return value
  }
}
