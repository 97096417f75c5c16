import type { CommandFamily, ConfigEntry, Manifest, Reviewer, Tier } from '../manifest/manifest.ts'
import { attachedByPoint } from './attached.ts'
import { compareText, type Member } from './member.ts'
import type { Candidate, Registry } from './registry.ts'

/**
 * Builds the registry over members that compose, with every view that the contract names. Each view is made when it is
 * first asked for: most callers want one or two.
 */
export const registryOf = (accepted: readonly Member[]): Registry => {
  const sorted = [...accepted].sort((a, b) => a.rank - b.rank || compareText(a.id, b.id))
  const capabilities = lazy(() => new Map(sorted.map((member) => [member.id, member.candidate])))
  const bySkill = lazy(() => owners(sorted, skillsOf))
  const byAgent = lazy(() => owners(sorted, agentsOf))
  const byLoopPoint = lazy(() => attachedByPoint(sorted))
  const configKeys = lazy(() => new Map(sorted.flatMap(configKeysOf)))
  const runtimes = lazy(() => new Map(sorted.flatMap(runtimeOf)))
  const reviewers = lazy(() => new Map(sorted.flatMap(lanesOf)))
  const commandFamilies = lazy(() => new Map(sorted.flatMap(familiesOf)))
  return {
    get capabilities() {
      return capabilities()
    },
    get bySkill() {
      return bySkill()
    },
    get byAgent() {
      return byAgent()
    },
    get byLoopPoint() {
      return byLoopPoint()
    },
    get configKeys() {
      return configKeys()
    },
    get runtimes() {
      return runtimes()
    },
    get reviewers() {
      return reviewers()
    },
    get commandFamilies() {
      return commandFamilies()
    },
    requiresClosure: (id) => requiresClosure(capabilities(), [id]),
    profile: (tier) => profile(capabilities(), tier),
  }
}

const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

const skillsOf = (manifest: Manifest): readonly string[] => (manifest.role === 'feature' ? manifest.skills : [])
const agentsOf = (manifest: Manifest): readonly string[] => (manifest.role === 'feature' ? manifest.agents : [])

const runtimeOf = ({ id, candidate: { manifest } }: Member): [string, Manifest][] =>
  manifest.role === 'runtime' ? [[id, manifest]] : []

const owners = (members: readonly Member[], stemsOf: (manifest: Manifest) => readonly string[]): Map<string, string> =>
  new Map(
    members.flatMap(({ id, candidate }) => stemsOf(candidate.manifest).map((stem): [string, string] => [stem, id])),
  )

const configKeysOf = ({ id, candidate }: Member): [string, ConfigEntry & { owner: string }][] =>
  Object.entries(candidate.manifest.config ?? {}).map(([key, entry]) => [key, { ...entry, owner: id }])

const lanesOf = ({ id, candidate: { manifest } }: Member): [string, Reviewer & { owner: string }][] =>
  manifest.role === 'feature' || manifest.reviewer === undefined
    ? []
    : [[manifest.reviewer.slug, { ...manifest.reviewer, owner: id }]]

const familiesOf = ({ id, candidate: { manifest } }: Member): [string, CommandFamily & { owner: string }][] =>
  'commands' in manifest ? (manifest.commands ?? []).map((family) => [family.family, { ...family, owner: id }]) : []

/** The ids and everything they require, requirements first; ids that are not in the set are left out. */
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
