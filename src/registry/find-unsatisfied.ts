import { type ExcludedProducer, recordExcluded, ArtefactSupply, checkSteps } from './artefact-supply.ts'
import { type Fault, NOT_INSTALLED, unmetRequirementFault } from './fault.ts'
import { groupById, type Member } from './member.ts'
import { checkTier } from './requirements.ts'

/** The members outside of the set. */
export interface ExcludedSet {
  readonly faults: ReadonlyMap<Member, readonly Fault[]>
  /** Id → why no candidate has it, as a clause: `is disabled`. */
  readonly absent: ReadonlyMap<string, string>
}

/**
 * Finds every member whose requirements or consumed artefacts the rest of the set does not provide, repeatedly (rules 44
 * and 46). The remaining members are the largest subset that satisfies itself.
 */
export const findUnsatisfied = (members: readonly Member[], outside: ExcludedSet): Map<Member, readonly Fault[]> => {
  const faults = new Map<Member, readonly Fault[]>()
  const dependentMembers = members.filter(hasDependencies)
  if (dependentMembers.length === 0) return faults
  const byId = groupById(members, new Set(dependentMembers.flatMap((member) => member.facets.requires)))
  const dependents = indexBy(dependentMembers, (member) => member.facets.requires)
  const consumers = indexBy(dependentMembers, consumedArtefacts)
  const causes = causesOf(outside)
  const excluded = new Map<string, ExcludedProducer>()
  for (const [member, found] of outside.faults) recordExcluded(excluded, member, found)
  const supply = new ArtefactSupply(members)

  const unmet = (member: Member): Fault[] =>
    member.facets.requires.flatMap((id): Fault[] => {
      const there = (byId.get(id) ?? []).filter((other) => !faults.has(other))
      if (there.length === 0) return [unmetRequirementFault(id, causes.get(id) ?? NOT_INSTALLED)]
      const tooHigh = checkTier(member, there)
      return tooHigh === null ? [] : [tooHigh]
    })

  const open = dependentMembers.toReversed()
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    if (faults.has(member)) continue
    const found = [...unmet(member), ...checkSteps(member, supply, excluded)]
    if (found[0] === undefined) continue
    faults.set(member, found)
    causes.set(member.id, found[0])
    recordExcluded(excluded, member, found)
    for (const dependent of dependents.get(member.id) ?? []) open.push(dependent)
    for (const name of supply.remove(member)) for (const consumer of consumers.get(name) ?? []) open.push(consumer)
  }
  return faults
}

const hasDependencies = ({ facets }: Member): boolean =>
  facets.requires.length > 0 || facets.hooks.some((hook) => hook.kind === 'step' && hook.consumes.length > 0)

const causesOf = ({ faults, absent }: ExcludedSet): Map<string, Fault | string> => {
  const causes = new Map<string, Fault | string>(absent)
  for (const [member, [first]] of faults) if (first !== undefined) causes.set(member.id, first)
  return causes
}

const consumedArtefacts = ({ facets }: Member): readonly string[] =>
  facets.hooks.flatMap((hook) => (hook.kind === 'step' ? hook.consumes : []))

const indexBy = (members: readonly Member[], keysOf: (member: Member) => readonly string[]): Map<string, Member[]> => {
  const found = new Map<string, Member[]>()
  for (const member of members) {
    for (const key of new Set(keysOf(member))) {
      const list = found.get(key)
      if (list === undefined) found.set(key, [member])
      else list.push(member)
    }
  }
  return found
}
