import { lazy } from '../lazy.ts'
import { laneOf } from '../manifest/lane.ts'
import type { CommandFamily, ConfigEntry, Manifest, Reviewer, Tier } from '../manifest/manifest.ts'
import { attachedByPoint } from './attached-by-point.ts'
import { compareText } from './member.ts'
import type { ActivationConditions, Candidate, MergedCapability, Registry } from './registry.ts'

type ViewName = Exclude<keyof Registry, 'requiresClosure' | 'profile'>

/** Each view as a function that makes it on the first call. */
export type Views = { readonly [Name in ViewName]: () => Registry[Name] }

/**
 * The registry over a set of capabilities, with every view of the contract. Each view is made on first use: most callers
 * need one or two.
 *
 * @param ready views that the caller can make more cheaply
 */
export const buildRegistry = (parts: () => readonly MergedCapability[], ready: Partial<Views> = {}): Registry => {
  const sorted = lazy(() => [...parts()].sort((a, b) => a.rank - b.rank || compareText(a.id, b.id)))
  const views: Views = {
    capabilities: lazy(() => new Map(sorted().map((part) => [part.id, part.candidate]))),
    bySkill: lazy(() => ownersByName(sorted(), skillsOf)),
    byAgent: lazy(() => ownersByName(sorted(), agentsOf)),
    byLoopPoint: lazy(() => attachedByPoint(sorted())),
    configKeys: lazy(() => new Map(sorted().flatMap(configKeysOf))),
    conditions: lazy(() => new Map(sorted().flatMap(conditionsOf))),
    rows: () => [],
    excluded: () => [],
    lostGates: () => [],
    runtimes: lazy(() => new Map(sorted().flatMap(runtimeOf))),
    reviewers: lazy(() => new Map(sorted().flatMap(lanesOf))),
    commandFamilies: lazy(() => new Map(sorted().flatMap(familiesOf))),
    ...ready,
  }
  const registry = {
    requiresClosure: (id: string) => requiresClosure(views.capabilities(), [id]),
    profile: (tier: Tier) => profile(views.capabilities(), tier),
  }
  for (const name of Object.keys(views) as ViewName[])
    Object.defineProperty(registry, name, { get: views[name], enumerable: true })
  return registry as unknown as Registry
}

const skillsOf = (manifest: Manifest): readonly string[] => (manifest.role === 'feature' ? manifest.skills : [])
const agentsOf = (manifest: Manifest): readonly string[] => (manifest.role === 'feature' ? manifest.agents : [])

const conditionsOf = ({ id, candidate: { manifest } }: MergedCapability): [string, ActivationConditions][] => {
  const { requires, runtimeCompat } = manifest
  const key = manifest.role === 'feature' ? manifest.activationKey : undefined
  const { supported = ['*'], unsupported = [] } = runtimeCompat ?? {}
  const conditions: ActivationConditions = {
    ...(key === undefined ? {} : { activationKey: key }),
    ...(supported.includes('*') ? {} : { supported }),
    ...(unsupported.length === 0 ? {} : { unsupported }),
    ...(requires.length === 0 ? {} : { requires }),
  }
  return Object.keys(conditions).length === 0 ? [] : [[id, conditions]]
}

const runtimeOf = ({ id, candidate: { manifest } }: MergedCapability): [string, Manifest][] =>
  manifest.role === 'runtime' ? [[id, manifest]] : []

const ownersByName = (
  members: readonly MergedCapability[],
  stemsOf: (manifest: Manifest) => readonly string[],
): Map<string, string> =>
  new Map(
    members.flatMap(({ id, candidate }) => stemsOf(candidate.manifest).map((stem): [string, string] => [stem, id])),
  )

const configKeysOf = ({ id, candidate }: MergedCapability): [string, ConfigEntry & { owner: string }][] =>
  Object.entries(candidate.manifest.config ?? {}).map(([key, entry]) => [key, { ...entry, owner: id }])

const lanesOf = ({ id, candidate: { manifest } }: MergedCapability): [string, Reviewer & { owner: string }][] => {
  const lane = laneOf(manifest)
  return lane === null ? [] : [[lane.slug, { ...lane, owner: id }]]
}

const familiesOf = ({ id, candidate: { manifest } }: MergedCapability): [string, CommandFamily & { owner: string }][] =>
  'commands' in manifest ? (manifest.commands ?? []).map((family) => [family.family, { ...family, owner: id }]) : []

/** The ids and everything they require, requirements first; ids outside of the set are omitted. */
const requiresClosure = (capabilities: ReadonlyMap<string, Candidate>, ids: readonly string[]): string[] => {
  const done = new Set<string>()
  const entered = new Set<string>()
  const open = [...ids].reverse()
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const requires = capabilities.get(id)?.manifest.requires
    if (requires === undefined || entered.has(id)) {
      open.pop()
      if (requires !== undefined) done.add(id)
      continue
    }
    entered.add(id)
    open.push(...requires.filter((required) => !entered.has(required)).reverse())
  }
  return [...done]
}

const TIERS = ['core', 'standard', 'full'] as const satisfies readonly Tier[]

const profile = (capabilities: ReadonlyMap<string, Candidate>, tier: Tier): string[] => {
  const reach = TIERS.indexOf(tier)
  const members = [...capabilities]
    .filter(([, { manifest }]) => TIERS.indexOf(manifest.tier) <= reach)
    .map(([id]) => id)
  return requiresClosure(capabilities, members.sort(compareText))
}
