import { resolve } from 'node:path'
import type { Diagnostic } from './diagnostic.ts'
import { GsdError } from './errors.ts'
import { libraryPaths, readTextOptions, workingDirectory } from './library-options.ts'
import { activationOf } from './loop/activation.ts'
import { type Config, configOf } from './loop/config/config.ts'
import type { ConfigLayers } from './loop/config/layer.ts'
import { type ConfigList, listKeys, resolveKeys } from './loop/config/list-keys.ts'
import { readLayers } from './loop/config/read-layers.ts'
import { requireKey } from './loop/config/require-key.ts'
import { type Envelope, envelopeOf } from './loop/envelope.ts'
import { findFamily } from './loop/family/find-family.ts'
import { FAMILY_TIMEOUT, runFamilyProcess } from './loop/family/run-family.ts'
import { checkPredicate } from './loop/gates/check-predicate.ts'
import { type GateReport, gatesAt } from './loop/gates/evaluate-gates.ts'
import { type PredicateAnswer, predicateAnswer } from './loop/gates/predicate-answer.ts'
import type { LoopContext } from './loop/loop-context.ts'
import { type PhaseOptions, phaseOf } from './loop/phase.ts'
import { hooksAt, type PointHooks } from './loop/resolve-hooks.ts'
import { runtimeOf } from './loop/runtime.ts'
import { type CapabilityState, capabilityStates } from './loop/state.ts'
import { realDisk } from './platform/disk.ts'
import { quote } from './redact.ts'
import type { Registry } from './registry/registry.ts'

export { registerQuery, type Query, type QueryAnswer, type QueryContext } from './loop/gates/queries.ts'
export type { ConfigList } from './loop/config/list-keys.ts'
export type { ResolvedKey } from './loop/config/resolve-key.ts'
export type { Envelope } from './loop/envelope.ts'
export type { GateReport, GateRow } from './loop/gates/evaluate-gates.ts'
export type { PredicateAnswer } from './loop/gates/predicate-answer.ts'
export type { Hook } from './loop/hook.ts'
export type { LostGateRow } from './loop/lost-gates.ts'
export type { InactiveHook, PointHooks } from './loop/resolve-hooks.ts'
export type { CapabilityState, HookState } from './loop/state.ts'

/** Where a call looks, and what it brings along. */
export interface LoopOptions {
  /** The user's home. Default `os.homedir()`. */
  readonly home?: string
  /** Global root, where it is not the home. Default `GSD_HOME`, unless `home` is given; else the home. */
  readonly gsdHome?: string
  /** Project folder; without it only the user's defaults count. */
  readonly project?: string | null
  /** Id of the host runtime. Default `GSD_RUNTIME`, else the key `runtime`, else any. */
  readonly runtime?: string
  /** Configuration of this call: dotted key → value. */
  readonly set?: Readonly<Record<string, unknown>>
}

export interface RenderOptions extends LoopOptions {
  /** Only contributions into this role. */
  readonly role?: string
  /** Also says which hooks do not run, and why. */
  readonly why?: boolean
}

export interface GateOptions extends LoopOptions, PhaseOptions {
  /** Only the gates of this capability. */
  readonly only?: string
  readonly signal?: AbortSignal
}

export interface FamilyOptions extends LoopOptions {
  /** Default: the working directory. */
  readonly cwd?: string
  readonly json?: boolean
  /** Seconds. Default 600. */
  readonly timeout?: number
  readonly signal?: AbortSignal
  readonly onStdout?: (chunk: Buffer) => void
  readonly onStderr?: (chunk: Buffer) => void
}

/**
 * The hooks of a point that run, in their order, and those that do not, with the reason.
 * @throws GsdError USAGE_BAD_VALUE for an unknown point or role
 */
export const resolveLoopHooks = (registry: Registry, point: string, options: RenderOptions = {}): PointHooks => {
  const { config, runtime } = prepare(registry, options)
  return hooksAt(registry, point, { config, runtime, role: options.role ?? null })
}

/**
 * The envelope of a point: its active hooks, and the document that a host may paste (loop page, "The envelope").
 * @throws GsdError USAGE_BAD_VALUE for an unknown point or role
 */
export const renderPoint = (registry: Registry, point: string, options: RenderOptions = {}): Envelope => {
  const { config, runtime } = prepare(registry, options)
  return envelopeOf(registry, point, { config, runtime, role: options.role ?? null, why: options.why ?? false })
}

/**
 * The verdict of each active gate of a point, and whether the host must stop.
 * @throws GsdError USAGE_BAD_VALUE for an unknown point or capability, INTERRUPTED when the signal ends it
 */
export const evaluateGates = async (
  registry: Registry,
  point: string,
  options: GateOptions = {},
): Promise<GateReport> => {
  const { config, runtime, context } = prepare(registry, options)
  const input = { ...phaseOf(options, context, workingDirectory()), config, env: context.env, signal: context.signal }
  return await gatesAt({ registry, context }, point, { input, runtime, only: options.only ?? null })
}

/**
 * One predicate without a manifest, such as `{ kind: 'artifact-exists', artifact: 'PLAN.md' }`.
 * @throws GsdError USAGE_BAD_VALUE for a predicate that is none, INTERRUPTED
 */
export const evaluatePredicate = async (
  registry: Registry,
  predicate: unknown,
  options: GateOptions = {},
): Promise<PredicateAnswer> => {
  const checked = checkPredicate(predicate)
  const { config, context } = prepare(registry, options)
  const input = { ...phaseOf(options, context, workingDirectory()), config, env: context.env, signal: context.signal }
  return await predicateAnswer(checked, input)
}

/**
 * Configuration keys with their values and who set them: those that are named, else every declared one.
 * @throws GsdError USAGE_UNKNOWN_KEY
 */
export const resolveConfig = (
  registry: Registry,
  options: LoopOptions & { readonly keys?: readonly string[] } = {},
): ConfigList => {
  const { layers } = prepare(registry, options)
  return options.keys === undefined
    ? listKeys(registry, layers)
    : resolveKeys(
        options.keys.map((key) => requireKey(registry, key)),
        layers,
      )
}

/**
 * The chain of each capability and hook: installed, consented, enabled, engines, runtimeCompat, activationKey, when,
 * requires.
 * @throws GsdError STATE_NOT_INSTALLED for an id that nothing has
 */
export const capabilityState = (
  registry: Registry,
  options: LoopOptions & { readonly id?: string } = {},
): { readonly capabilities: readonly CapabilityState[]; readonly warnings: readonly Diagnostic[] } => {
  const { config, runtime, context } = prepare(registry, options)
  const capabilities = capabilityStates(registry, { id: options.id ?? null, config, runtime, context })
  return { capabilities, warnings: config.warnings() }
}

/**
 * Runs a command family of an active capability in a process of its own; returns its exit status.
 *
 * @param words the family and the words behind it
 * @throws GsdError USAGE_UNKNOWN_COMMAND, OVERLAY_FAMILY_*, CONSENT_*, INTERRUPTED
 */
export const runFamily = async (
  registry: Registry,
  words: readonly string[],
  options: FamilyOptions = {},
): Promise<number> => {
  const { config, runtime, context } = prepare(registry, options)
  const [name = '', ...args] = words
  const family = findFamily(registry, name, { activation: activationOf(registry, { config, runtime }), context })
  return await runFamilyProcess(
    family,
    {
      args,
      cwd: resolve(options.cwd ?? workingDirectory()),
      json: options.json ?? false,
      timeout: options.timeout === undefined ? FAMILY_TIMEOUT : options.timeout * 1000,
      onStdout: options.onStdout ?? ((chunk) => void process.stdout.write(chunk)),
      onStderr: options.onStderr ?? ((chunk) => void process.stderr.write(chunk)),
    },
    context,
  )
}

interface Prepared {
  readonly context: LoopContext
  readonly layers: ConfigLayers
  readonly config: Config
  readonly runtime: string | null
}

const TEXT_OPTIONS = ['home', 'gsdHome', 'project', 'runtime'] as const

const prepare = (registry: Registry, options: LoopOptions & { readonly signal?: AbortSignal }): Prepared => {
  const given = readTextOptions(options as Readonly<Record<string, unknown>>, TEXT_OPTIONS)
  const { paths } = libraryPaths(given)
  const context: LoopContext = {
    ...paths,
    env: process.env,
    disk: realDisk,
    signal: options.signal ?? new AbortController().signal,
  }
  const layers = readLayers({
    project: paths.project?.realRoot ?? null,
    user: paths.user.config,
    ...(options.set === undefined ? {} : { call: checkedSet(registry, options.set) }),
  })
  const config = configOf(registry, layers)
  return { context, layers, config, runtime: runtimeOf({ given: given.runtime, env: process.env, config }) }
}

const checkedSet = (registry: Registry, set: unknown): Readonly<Record<string, unknown>> => {
  if (typeof set !== 'object' || set === null || Array.isArray(set))
    throw new GsdError('USAGE_BAD_VALUE', `set is ${quote(set)}, which is no object`, {
      hint: "write { 'workflow.research': false }",
    })
  for (const key of Object.keys(set)) requireKey(registry, key)
  return set as Readonly<Record<string, unknown>>
}
