import type { Tier } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { findCycleThrough, findCyclicGroups } from './cycles.ts'
import type { Fault } from './fault.ts'
import { groupById, type Member } from './member.ts'

const TIER_HEIGHT = { core: 0, standard: 1, full: 2 } as const satisfies Record<Tier, number>

/** The fault of a requirement in a higher tier (rule 44). `candidates` all have the required id. */
export const checkTier = (member: Member, candidates: readonly Member[]): Fault | null => {
  const { tier } = member.facets
  const first = candidates[0]
  if (tier === null || first === undefined) return null
  if (candidates.some((other) => other.facets.tier === null || TIER_HEIGHT[other.facets.tier] <= TIER_HEIGHT[tier]))
    return null
  return {
    code: 'REGISTRY_REQUIRES_TIER',
    reason: `it has the tier ${tier} and requires ${first.name} of the higher tier ${first.facets.tier}`,
    pointer: '/requires',
    hint: `raise the tier of ${quote(member.id)} to ${first.facets.tier}, or remove the requirement`,
    blocker: first,
  }
}

/**
 * Members on a cycle of requirements (rule 44). A project overlay that shadows a global one and closes the cycle is alone
 * at fault: without it there is no cycle.
 */
export const findRequirementCycles = (members: readonly Member[]): Map<Member, readonly Fault[]> => {
  const faults = new Map<Member, readonly Fault[]>()
  const requiring = members.filter((member) => member.facets.requires.length > 0)
  if (requiring.length === 0) return faults
  const groups = groupById(members, new Set(requiring.flatMap((member) => [member.id, ...member.facets.requires])))
  const index = new Map(requiring.map((member, at) => [member, at]))
  const edges = requiring.map((member) =>
    member.facets.requires.flatMap((id) => {
      const target = groups.get(id)?.[0]
      const at = target === undefined ? undefined : index.get(target)
      return at === undefined ? [] : [at]
    }),
  )
  for (const group of findCyclicGroups(requiring.length, edges)) {
    const fault = cycleFault(requiring, Math.min(...group), edges)
    const inCycle = group.map((at) => requiring[at] as Member)
    const shadowing = inCycle.filter((member) => (groups.get(member.id)?.length ?? 0) > 1)
    for (const member of shadowing.length > 0 ? shadowing : inCycle) faults.set(member, [fault])
  }
  return faults
}

const MAX_CYCLE_LENGTH = 12

const cycleFault = (members: readonly Member[], start: number, edges: readonly number[][]): Fault => {
  const cycle = findCycleThrough(start, (node) => edges[node] ?? [])
  return {
    code: 'REGISTRY_REQUIRES_CYCLE',
    reason: `its requirements form a cycle: ${formatCycle(cycle.map((at) => members[at]?.id ?? ''))}`,
    pointer: '/requires',
  }
}

/** `a → b → a`, shortened when it is long. */
export const formatCycle = (names: readonly string[]): string => {
  const shown =
    names.length > MAX_CYCLE_LENGTH
      ? [...names.slice(0, MAX_CYCLE_LENGTH), `… ${names.length - MAX_CYCLE_LENGTH} more`]
      : names
  return [...shown, names[0] ?? ''].join(' → ')
}
