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
  /** Why each of the others, but the shadowed ones, is not part of it. */
  readonly faults: ReadonlyMap<Member, readonly Fault[]>
  /** Global overlays in whose place a project overlay stands. */
  readonly shadowed: ReadonlyMap<Member, Member>
}

/** What takes no part and yet counts. */
export interface Exclusions {
  /** Id → why it takes no part, as a clause: `is disabled`. */
  readonly absent: ReadonlyMap<string, string>
  /** First-party members that take no part; their ids stay theirs. */
  readonly reserved: readonly Member[]
}

type Faults = Map<Member, readonly Fault[]>

/** After so many rounds whatever lost a collision stays lost, even against a member that has to go itself. */
const MAX_ROUNDS = 12

/**
 * Decides which members can live together (rules 43 to 46). Every round lets all that are not out for good claim what
 * they declare and then looks whether the result satisfies itself. A member that does not costs itself and what requires
 * it; whatever had lost a collision against it gets another chance in the next round. The outcome depends on the set
 * alone, not on the order in which it was put together.
 *
 * @param members as `membersOf` sorts them
 */
export const resolveMembers = (members: readonly Member[], aside: Exclusions): Resolution => {
  const out = checkAlone(members, aside.reserved)
  const firstParty = members.filter((member) => member.rank === 0)
  // Alone first: no first-party capability ever rests on an overlay, or is moved by one.
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

/** Leaves those that are not out whatever happens to the others: on no cycle of requirements, resting on nothing that is nowhere. */
const dropUnsatisfied = (members: readonly Member[], out: Faults, { absent }: Exclusions): readonly Member[] => {
  for (;;) {
    const gone = findRequirementCycles(withoutExcluded(members, out))
    for (const [member, faults] of gone) out.set(member, faults)
    for (const [member, faults] of findUnsatisfied(withoutExcluded(members, out), { faults: out, absent })) {
      out.set(member, faults)
      gone.set(member, faults)
    }
    const left = withoutExcluded(members, out)
    // Where a global twin takes the place of one that went, requirements lead elsewhere than they did.
    if (gone.size === 0 || groupById(left, new Set([...gone.keys()].map(({ id }) => id))).size === 0) return left
  }
}

const withoutExcluded = (members: readonly Member[], out: Faults): readonly Member[] =>
  out.size === 0 ? members : members.filter((member) => !out.has(member))

/** What is wrong with the set of those that got what they claim. */
const findFailures = (
  { accepted, rejected, shadowed }: OwnershipResult,
  out: Faults,
  { absent }: Exclusions,
): Faults => {
  // Where nobody lost, nothing is missing that was there when the set settled; a twin in its place may be of another tier.
  const settled = rejected.size === 0 && shadowed.size === 0
  const failed: Faults = settled
    ? new Map()
    : findUnsatisfied(accepted, { faults: new Map([...out, ...rejected]), absent })
  const add = (member: Member, faults: readonly Fault[]): void => {
    if (faults.length > 0) failed.set(member, [...(failed.get(member) ?? []), ...faults])
  }
  if (!settled) for (const [member, faults] of findRequirementCycles(accepted)) add(member, faults)
  for (const [member, faults] of findUnknownCommands(accepted)) add(member, faults)
  for (const [member, faults] of checkHookCycles(accepted, { faults: new Map([...out, ...rejected]), absent }))
    add(member, faults)
  return failed
}

/**
 * Members that close a cycle at a point. One that cannot do without those it would push out with its cycle is at fault
 * itself, and they are not.
 */
const checkHookCycles = (accepted: readonly Member[], { faults, absent }: ExcludedSet): Faults => {
  const closing: Faults = findHookCycles(accepted)
  if (closing.size === 0) return closing
  const rest = accepted.filter((member) => !closing.has(member))
  const suffering = [...findUnsatisfied(rest, { faults: new Map([...faults, ...closing]), absent })]
  const own = new Map(suffering.filter(([member, why]) => why.some(({ blocker }) => blocker === member)))
  const spared = (why: readonly Fault[]): boolean =>
    why.every(({ blocker }) => blocker !== undefined && own.has(blocker))
  return new Map([...[...closing].filter(([, why]) => !spared(why)), ...own])
}

/**
 * Of those that failed, the ones that would fail without the others too. Where each fails because of another, those that
 * get in each other's way, or in their own; whoever only suffers from them gets another chance.
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

/** What is wrong with a member whatever else is there: an id that is taken, a central key, an artefact twice. */
const checkAlone = (members: readonly Member[], reserved: readonly Member[]): Faults => {
  const faults: Faults = findTakenIds(members, reserved)
  for (const member of members) {
    const central = checkCentralKeys(member)
    const doubled = checkDuplicateArtefacts(member)
    if (central.length + doubled.length > 0) faults.set(member, [...(faults.get(member) ?? []), ...central, ...doubled])
  }
  return faults
}

/** Members whose id a first-party capability has, or an earlier member of the same scope (rule 43). */
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
