import { type Claimed, claimInOrder } from './claim.ts'
import { unknownCommands } from './command-refs.ts'
import { cyclicGroups } from './cycles.ts'
import type { Fault } from './fault.ts'
import { hookCycles } from './hook-cycles.ts'
import { groupById, type Member } from './member.ts'
import { centralKeys, doubledArtefacts } from './ownership.ts'
import { requirementCycles } from './requirements.ts'
import { type Outside, unsatisfied } from './satisfied.ts'

export interface Resolution {
  /** The merged set, by precedence and then requirements first. */
  readonly accepted: readonly Member[]
  /** Why each of the others, but the shadowed ones, is not part of it. */
  readonly faults: ReadonlyMap<Member, readonly Fault[]>
  /** Global overlays in whose place a project overlay stands. */
  readonly shadowed: ReadonlyMap<Member, Member>
}

/** What takes no part and yet counts. */
export interface Aside {
  /** Id → why it takes no part, as a clause: `is disabled`. */
  readonly absent: ReadonlyMap<string, string>
  /** First-party members that take no part; their ids stay theirs. */
  readonly reserved: readonly Member[]
}

type Faults = Map<Member, readonly Fault[]>

/** After so many rounds whatever lost a collision stays lost, even against a member that has to go itself. */
const LAST_ROUND = 12

/**
 * Decides which members can live together (rules 43 to 46). Every round lets all that are not out for good claim what
 * they declare and then looks whether the result satisfies itself. A member that does not costs itself and what requires
 * it; whatever had lost a collision against it gets another chance in the next round. The outcome depends on the set
 * alone, not on the order in which it was put together.
 *
 * @param members as `membersOf` sorts them
 */
export const resolve = (members: readonly Member[], aside: Aside): Resolution => {
  const out = unfitAlone(members, aside.reserved)
  const firstParty = members.filter((member) => member.rank === 0)
  // Alone first: no first-party capability ever rests on an overlay, or is moved by one.
  for (const [member, faults] of settleAll(firstParty, new Map(out), aside).faults) out.set(member, faults)
  return settleAll(members, out, aside)
}

const settleAll = (members: readonly Member[], out: Faults, aside: Aside): Resolution => {
  for (let round = 0; ; round++) {
    const claimed = claimInOrder(settle(members, out, aside))
    const failed = failures(claimed, out, aside)
    if (failed.size === 0 || round === LAST_ROUND) return conclude(claimed, failed, out, aside)
    for (const [member, faults] of lasting(failed)) out.set(member, faults)
  }
}

/** Leaves those that are not out whatever happens to the others: on no cycle of requirements, resting on nothing that is nowhere. */
const settle = (members: readonly Member[], out: Faults, { absent }: Aside): readonly Member[] => {
  for (;;) {
    const gone = requirementCycles(stillIn(members, out))
    for (const [member, faults] of gone) out.set(member, faults)
    for (const [member, faults] of unsatisfied(stillIn(members, out), { faults: out, absent })) {
      out.set(member, faults)
      gone.set(member, faults)
    }
    const left = stillIn(members, out)
    // Where a global twin takes the place of one that went, requirements lead elsewhere than they did.
    if (gone.size === 0 || groupById(left, new Set([...gone.keys()].map(({ id }) => id))).size === 0) return left
  }
}

const stillIn = (members: readonly Member[], out: Faults): readonly Member[] =>
  out.size === 0 ? members : members.filter((member) => !out.has(member))

/** What is wrong with the set of those that got what they claim. */
const failures = ({ accepted, lost, shadowed }: Claimed, out: Faults, { absent }: Aside): Faults => {
  // Where nobody lost, nothing is missing that was there when the set settled; a twin in its place may be of another tier.
  const settled = lost.size === 0 && shadowed.size === 0
  const failed: Faults = settled ? new Map() : unsatisfied(accepted, { faults: new Map([...out, ...lost]), absent })
  const add = (member: Member, faults: readonly Fault[]): void => {
    if (faults.length > 0) failed.set(member, [...(failed.get(member) ?? []), ...faults])
  }
  if (!settled) for (const [member, faults] of requirementCycles(accepted)) add(member, faults)
  for (const [member, faults] of unknownCommands(accepted)) add(member, faults)
  for (const [member, faults] of cyclesOf(accepted, { faults: new Map([...out, ...lost]), absent })) add(member, faults)
  return failed
}

/**
 * Members that close a cycle at a point. One that cannot do without those it would push out with its cycle is at fault
 * itself, and they are not.
 */
const cyclesOf = (accepted: readonly Member[], { faults, absent }: Outside): Faults => {
  const closing: Faults = hookCycles(accepted)
  if (closing.size === 0) return closing
  const rest = accepted.filter((member) => !closing.has(member))
  const suffering = [...unsatisfied(rest, { faults: new Map([...faults, ...closing]), absent })]
  const own = new Map(suffering.filter(([member, why]) => why.some(({ by }) => by === member)))
  const spared = (why: readonly Fault[]): boolean => why.every(({ by }) => by !== undefined && own.has(by))
  return new Map([...[...closing].filter(([, why]) => !spared(why)), ...own])
}

/**
 * Of those that failed, the ones that would fail without the others too. Where each fails because of another, those that
 * get in each other's way, or in their own; whoever only suffers from them gets another chance.
 */
const lasting = (failed: Faults): Faults => {
  const firm = [...failed].filter(([, faults]) => faults.some(({ by }) => by === undefined || !failed.has(by)))
  if (firm.length > 0) return new Map(firm)
  const members = [...failed]
  const index = new Map(members.map(([member], at) => [member, at]))
  const blames = members.map(([, faults]) =>
    faults.flatMap(({ by }) => (by === undefined ? [] : [index.get(by) ?? -1])),
  )
  return new Map(
    cyclicGroups(members.length, blames).flatMap((group) => group.map((at) => members[at] as [Member, Fault[]])),
  )
}

const conclude = (claimed: Claimed, failed: Faults, out: Faults, aside: Aside): Resolution => {
  const { lost, shadowed } = claimed
  const faults: Faults = new Map([...out, ...lost])
  let { accepted } = claimed
  for (let found = failed; found.size > 0; found = failures({ accepted, lost, shadowed }, faults, aside)) {
    for (const [member, why] of found) faults.set(member, why)
    accepted = accepted.filter((member) => !faults.has(member))
  }
  return { accepted, faults, shadowed }
}

/** What is wrong with a member whatever else is there: an id that is taken, a central key, an artefact twice. */
const unfitAlone = (members: readonly Member[], reserved: readonly Member[]): Faults => {
  const faults: Faults = takenIds(members, reserved)
  for (const member of members) {
    const central = centralKeys(member)
    const doubled = doubledArtefacts(member)
    if (central.length + doubled.length > 0) faults.set(member, [...(faults.get(member) ?? []), ...central, ...doubled])
  }
  return faults
}

/** Members whose id a first-party capability has, or an earlier member of the same scope (rule 43). */
export const takenIds = (members: readonly Member[], reserved: readonly Member[]): Faults => {
  const faults: Faults = new Map()
  const firstParty = new Map(reserved.map((member) => [member.id, member]))
  const seen = [new Map<string, Member>(), new Map<string, Member>(), new Map<string, Member>()]
  for (const member of members) {
    const { id, rank } = member
    const holder = firstParty.get(id) ?? seen[rank]?.get(id)
    if (holder !== undefined) faults.set(member, [takenId(holder)])
    else seen[rank]?.set(id, member)
    if (rank === 0 && holder === undefined) firstParty.set(id, member)
  }
  return faults
}

const takenId = (holder: Member): Fault => ({
  code: 'REGISTRY_ID_COLLISION',
  reason: `its id belongs to ${holder.name}`,
  pointer: '/id',
  by: holder,
})
