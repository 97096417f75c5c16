import { type OwnershipResult, assignOwnership } from './assign-ownership.ts'
import { findUnknownCommands } from './command-refs.ts'
import { findCyclicGroups } from './cycles.ts'
import type { Fault } from './fault.ts'
import { type ExcludedSet, findUnsatisfied } from './find-unsatisfied.ts'
import { findHookCycles } from './hook-cycles.ts'
import { groupById, type Member } from './member.ts'
import { checkCentralKeys, checkDuplicateArtefacts } from './ownership.ts'
import { findRequirementCycles } from './requirements.ts'

export interface Resolution {
  /** The merged set, by precedence and then requirements first. */
  readonly accepted: readonly Member[]
  /** Why each of the others is excluded; shadowed ones are not here. */
  readonly faults: ReadonlyMap<Member, readonly Fault[]>
  /** Global overlay → the project overlay that replaces it. */
  readonly shadowed: ReadonlyMap<Member, Member>
}

/** Excluded capabilities that still matter. */
export interface Exclusions {
  /** Id → why it is excluded, as a clause: `is disabled`. */
  readonly absent: ReadonlyMap<string, string>
  /** Excluded first-party members; they keep their ids. */
  readonly reserved: readonly Member[]
}

type Faults = Map<Member, readonly Fault[]>

/** After the last round the losers of a collision stay excluded, even if the winner is excluded too. */
const MAX_ROUNDS = 12

/**
 * Decides which members are compatible (rules 43 to 46). Each round assigns ownership to all members that are not
 * permanently excluded, then checks the result. A member that fails is excluded with everything that requires it, and
 * whatever lost a collision against it gets another chance in the next round. The result depends on the set alone, not on
 * its order.
 *
 * @param members as `membersOf` sorts them
 */
export const resolveMembers = (members: readonly Member[], aside: Exclusions): Resolution => {
  const out = checkAlone(members, aside.reserved)
  const firstParty = members.filter((member) => member.rank === 0)
  // First alone: an overlay never supports or excludes a first-party capability.
  for (const [member, faults] of runRounds(firstParty, new Map(out), aside).faults) out.set(member, faults)
  return runRounds(members, out, aside)
}

const runRounds = (members: readonly Member[], out: Faults, aside: Exclusions): Resolution => {
  for (let round = 0; ; round++) {
    const claimed = assignOwnership(dropUnsatisfied(members, out, aside))
    const failed = findFailures(claimed, out, aside)
    if (failed.size === 0 || round === MAX_ROUNDS) return finishResolution(claimed, failed, out, aside)
    for (const [member, faults] of permanentFailures(failed)) out.set(member, faults)
  }
}

/** Members that no cycle of requirements and no missing requirement excludes, whatever happens to the others. */
const dropUnsatisfied = (members: readonly Member[], out: Faults, { absent }: Exclusions): readonly Member[] => {
  for (;;) {
    const gone = findRequirementCycles(withoutExcluded(members, out))
    for (const [member, faults] of gone) out.set(member, faults)
    for (const [member, faults] of findUnsatisfied(withoutExcluded(members, out), { faults: out, absent })) {
      out.set(member, faults)
      gone.set(member, faults)
    }
    const left = withoutExcluded(members, out)
    // When a global capability replaces an excluded one of the same id, requirements resolve differently.
    if (gone.size === 0 || groupById(left, new Set([...gone.keys()].map(({ id }) => id))).size === 0) return left
  }
}

const withoutExcluded = (members: readonly Member[], out: Faults): readonly Member[] =>
  out.size === 0 ? members : members.filter((member) => !out.has(member))

/** The faults of the set that has its ownership assigned. */
const findFailures = (
  { accepted, rejected, shadowed }: OwnershipResult,
  out: Faults,
  { absent }: Exclusions,
): Faults => {
  // Without losers nothing is missing since the last check; a shadowing capability can have another tier.
  const isUnchanged = rejected.size === 0 && shadowed.size === 0
  const failed: Faults = isUnchanged
    ? new Map()
    : findUnsatisfied(accepted, { faults: new Map([...out, ...rejected]), absent })
  const add = (member: Member, faults: readonly Fault[]): void => {
    if (faults.length > 0) failed.set(member, [...(failed.get(member) ?? []), ...faults])
  }
  if (!isUnchanged) for (const [member, faults] of findRequirementCycles(accepted)) add(member, faults)
  for (const [member, faults] of findUnknownCommands(accepted)) add(member, faults)
  for (const [member, faults] of checkHookCycles(accepted, { faults: new Map([...out, ...rejected]), absent }))
    add(member, faults)
  return failed
}

/**
 * Members that close a cycle at a point. One that depends on members that its own cycle excludes is at fault itself, and
 * they are not.
 */
const checkHookCycles = (accepted: readonly Member[], { faults, absent }: ExcludedSet): Faults => {
  const closing: Faults = findHookCycles(accepted)
  if (closing.size === 0) return closing
  const rest = accepted.filter((member) => !closing.has(member))
  const affected = [...findUnsatisfied(rest, { faults: new Map([...faults, ...closing]), absent })]
  const own = new Map(affected.filter(([member, why]) => why.some(({ blocker }) => blocker === member)))
  const spared = (why: readonly Fault[]): boolean =>
    why.every(({ blocker }) => blocker !== undefined && own.has(blocker))
  return new Map([...[...closing].filter(([, why]) => !spared(why)), ...own])
}

/**
 * Of the failed members, those that would also fail without the others. If each fails because of another, those that block
 * each other or themselves; the ones that are only blocked by them get another chance.
 */
const permanentFailures = (failed: Faults): Faults => {
  const firm = [...failed].filter(([, faults]) =>
    faults.some(({ blocker }) => blocker === undefined || !failed.has(blocker)),
  )
  if (firm.length > 0) return new Map(firm)
  const members = [...failed]
  const index = new Map(members.map(([member], at) => [member, at]))
  const blames = members.map(([, faults]) =>
    faults.flatMap(({ blocker }) => (blocker === undefined ? [] : [index.get(blocker) ?? -1])),
  )
  return new Map(
    findCyclicGroups(members.length, blames).flatMap((group) => group.map((at) => members[at] as [Member, Fault[]])),
  )
}

const finishResolution = (claimed: OwnershipResult, failed: Faults, out: Faults, aside: Exclusions): Resolution => {
  const { rejected, shadowed } = claimed
  const faults: Faults = new Map([...out, ...rejected])
  let { accepted } = claimed
  for (let found = failed; found.size > 0; found = findFailures({ accepted, rejected, shadowed }, faults, aside)) {
    for (const [member, why] of found) faults.set(member, why)
    accepted = accepted.filter((member) => !faults.has(member))
  }
  return { accepted, faults, shadowed }
}

/** The faults that do not depend on other overlays: a taken id, a central key, a repeated artefact. */
const checkAlone = (members: readonly Member[], reserved: readonly Member[]): Faults => {
  const faults: Faults = findTakenIds(members, reserved)
  for (const member of members) {
    const central = checkCentralKeys(member)
    const doubled = checkDuplicateArtefacts(member)
    if (central.length + doubled.length > 0) faults.set(member, [...(faults.get(member) ?? []), ...central, ...doubled])
  }
  return faults
}

/** Members whose id belongs to a first-party capability, or to an earlier member of the same scope (rule 43). */
export const findTakenIds = (members: readonly Member[], reserved: readonly Member[]): Faults => {
  const faults: Faults = new Map()
  const firstParty = new Map(reserved.map((member) => [member.id, member]))
  const seen = [new Map<string, Member>(), new Map<string, Member>(), new Map<string, Member>()]
  for (const member of members) {
    const { id, rank } = member
    const holder = firstParty.get(id) ?? seen[rank]?.get(id)
    if (holder !== undefined) faults.set(member, [takenIdFault(holder)])
    else seen[rank]?.set(id, member)
    if (rank === 0 && holder === undefined) firstParty.set(id, member)
  }
  return faults
}

const takenIdFault = (holder: Member): Fault => ({
  code: 'REGISTRY_ID_COLLISION',
  reason: `its id belongs to ${holder.name}`,
  pointer: '/id',
  blocker: holder,
})
