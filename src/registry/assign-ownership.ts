import { type Fault, unmetRequirementFault } from './fault.ts'
import type { Member } from './member.ts'
import { Ownership } from './ownership.ts'
import { topologicalSort } from './topological-sort.ts'

/** Result of one pass that assigns to members the names they declare, by precedence. */
export interface OwnershipResult {
  /** In the order of assignment. */
  readonly accepted: readonly Member[]
  /** Losers of a collision, and members that require one. */
  readonly rejected: ReadonlyMap<Member, readonly Fault[]>
  /** Global overlay → the project overlay with its id. */
  readonly shadowed: ReadonlyMap<Member, Member>
}

/**
 * Assigns names to first-party members, then to those of the project, then to global ones; within each, requirements come
 * before dependents, and otherwise the id decides. So the order of installation does not matter. A project overlay can
 * require a global one that is decided later; the caller checks that afterwards.
 */
export const assignOwnership = (members: readonly Member[]): OwnershipResult => {
  const ownership = new Ownership()
  const accepted = new Map<string, Member>()
  const rejected = new Map<Member, readonly Fault[]>()
  const lostById = new Map<string, Fault>()
  const shadowed = new Map<Member, Member>()
  for (const member of [0, 1, 2].flatMap((rank) => orderByRequires(members.filter((it) => it.rank === rank)))) {
    const holder = accepted.get(member.id)
    if (holder !== undefined) {
      shadowed.set(member, holder)
      continue
    }
    const conflicts = ownership.conflicts(member)
    const faults = rejected.size === 0 ? conflicts : [...rejectedRequirements(member, accepted, lostById), ...conflicts]
    if (faults.length === 0) {
      ownership.assign(member)
      accepted.set(member.id, member)
      continue
    }
    rejected.set(member, faults)
    lostById.set(member.id, faults[0] as Fault)
  }
  return { accepted: [...accepted.values()], rejected, shadowed }
}

const rejectedRequirements = (
  member: Member,
  accepted: ReadonlyMap<string, Member>,
  lost: ReadonlyMap<string, Fault>,
): Fault[] =>
  member.facets.requires.flatMap((id) => {
    const fault = accepted.has(id) ? undefined : lost.get(id)
    return fault === undefined ? [] : [unmetRequirementFault(id, fault)]
  })

const orderByRequires = (members: readonly Member[]): readonly Member[] => {
  if (members.every((member) => member.facets.requires.length === 0)) return members
  const nodes = members.map((member) => ({ produces: [member.id], consumes: member.facets.requires }))
  return topologicalSort(nodes).map((at) => members[at] as Member)
}
