import type { GateCheck, OnError } from '../manifest/manifest.ts'
import type { Attached, Origin } from '../registry/registry.ts'
import type { Config } from './config/config.ts'

/** A hook as a host gets it (loop page, "The envelope"). Members that a kind does not have are absent. */
export interface Hook {
  readonly capId: string
  readonly kind: 'step' | 'contribution' | 'gate'
  readonly ref?: { readonly skill: string } | { readonly agent: string } | { readonly command: string }
  readonly into?: string
  /** The text as the capability wrote it; paths were read at load. */
  readonly fragment?: { readonly inline: string }
  readonly when?: string
  readonly produces?: readonly string[]
  readonly consumes?: readonly string[]
  readonly check?: GateCheck
  readonly blocking?: boolean
  readonly onError?: OnError
  /** Alias → resolved value; null where nothing is set. */
  readonly configValues?: Readonly<Record<string, unknown>>
  readonly pointFrom?: string
  readonly supportsReviewerLanes?: boolean
  readonly scope: Origin
  readonly version: string
}

/** Turns an attached declaration into what a host gets. */
export const hookOf = (attached: Attached, config: Config): Hook => {
  const { scope, version } = attached
  return { ...SHAPES[attached.kind](attached as never, config), scope, version }
}

type Part = Omit<Hook, 'scope' | 'version'>
type Of<Kind extends Attached['kind']> = Extract<Attached, { kind: Kind }>

const SHAPES: { readonly [Kind in Attached['kind']]: (attached: Of<Kind>, config: Config) => Part } = {
  step: ({ capability, step, text }) => ({
    capId: capability,
    kind: 'step',
    ref: step.ref,
    ...(text === null ? {} : { fragment: { inline: text } }),
    ...when(step),
    produces: step.produces,
    consumes: step.consumes,
    onError: step.onError,
    ...(step.pointFrom === undefined ? {} : { pointFrom: step.pointFrom }),
    ...(step.supportsReviewerLanes === undefined ? {} : { supportsReviewerLanes: step.supportsReviewerLanes }),
  }),
  contribution: ({ capability, contribution, text }, config) => ({
    capId: capability,
    kind: 'contribution',
    into: contribution.into,
    fragment: { inline: text },
    ...when(contribution),
    produces: contribution.produces,
    consumes: contribution.consumes,
    ...(contribution.onError === undefined ? {} : { onError: contribution.onError }),
    ...(contribution.configValues === undefined ? {} : { configValues: valuesOf(contribution.configValues, config) }),
  }),
  gate: ({ capability, gate }) => ({
    capId: capability,
    kind: 'gate',
    ...when(gate),
    check: gate.check,
    blocking: gate.blocking,
    onError: gate.onError,
  }),
}

const when = (declared: { readonly when?: string }): { readonly when?: string } =>
  declared.when === undefined ? {} : { when: declared.when }

/** `__proto__` is an alias like any other, so members are defined, not assigned. */
const valuesOf = (aliases: Readonly<Record<string, string>>, config: Config): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(aliases).map(([alias, key]) => [alias, config.value(key) ?? null]))
