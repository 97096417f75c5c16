import { diagnostic, type Diagnostic, type Severity } from '../diagnostic.ts'
import { Findings } from '../manifest/findings.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { plainCopy } from '../manifest/plain-copy.ts'
import { objectOf, stringsOf } from '../manifest/relations/relation.ts'
import { quote } from '../redact.ts'
import { Supply, unsatisfiedSteps } from './artefacts.ts'
import { unknownCommands } from './command-refs.ts'
import { facetsOf } from './facets.ts'
import { type Fault, NOT_INSTALLED, unmetRequirement } from './fault.ts'
import { hookCycles } from './hook-cycles.ts'
import { groupById, type Member } from './member.ts'
import { centralKeys, doubledArtefacts, Ownership } from './ownership.ts'
import { higherTier, requirementCycles } from './requirements.ts'
import { takenIds } from './resolve.ts'
import { unknownRuntimes } from './runtimes.ts'

export interface CrossOptions {
  /** Manifests that are there already and win every collision; they are not reported on. */
  readonly firstParty?: readonly unknown[]
  /** Host runtimes that exist beside those in the set. */
  readonly runtimes?: readonly string[]
}

/** A finding over a set; `index` is the place in the list of the manifest it is about. */
export interface CrossDiagnostic extends Diagnostic {
  readonly index: number
}

/**
 * Applies the rules over the merged set (43 to 47) to a list of manifests, each rule to the whole list, so that every
 * fault is found at once. Of two that collide the later one is at fault. A requirement that is found nowhere is a warning:
 * it may be installed elsewhere. Takes any value and never throws; own rules are `validateCapability`'s.
 */
export const validateCrossCapability = (manifests: unknown, options: CrossOptions = {}): CrossDiagnostic[] => {
  try {
    return judged(manifests, options)
  } catch {
    // Something that throws when it is looked at. In a copy that is null, and everything else is what it was.
    const findings = new Findings()
    return judged(plainCopy(manifests, findings), plainCopy(options, findings) as CrossOptions)
  }
}

const judged = (manifests: unknown, options: CrossOptions): CrossDiagnostic[] => {
  if (!Array.isArray(manifests)) return [notAManifest(manifests, 0)]
  const list = manifests as readonly unknown[]
  const { firstParty, runtimes: beside } = objectOf(options)
  const known = (Array.isArray(firstParty) ? firstParty : []).flatMap((value: unknown) => memberOf(value, 0) ?? [])
  const given = list.map((value) => memberOf(value, 1))
  const members = [...known, ...given.filter((member) => member !== null)]
  const faultsOf = faultsOver(members)
  const runtimes = new Map(unknownRuntimes(members, stringsOf(beside)).map((finding) => [finding.id, finding]))
  return given.flatMap((member, index): CrossDiagnostic[] => {
    if (member === null) return [notAManifest(list[index], index)]
    const found = faultsOf(member).map((fault) => diagnosticOf(member, fault))
    const unknown = runtimes.get(member.id)
    return [...found, ...(unknown === undefined ? [] : [unknown])].map((finding) => withIndex(finding, index))
  })
}

const withIndex = (finding: Diagnostic, index: number): CrossDiagnostic => ({ ...finding, index })

const faultsOver = (members: readonly Member[]): ((member: Member) => readonly Fault[]) => {
  const byId = groupById(members)
  const supply = new Supply(members)
  const found = [new Map(takenIds(members, [])), collisions(members), requirementCycles(members), hookCycles(members)]
  const open = openEnded(members, byId)
  const commands = unknownCommands(members)
  return (member) => [
    ...found.flatMap((faults) => faults.get(member) ?? []),
    ...centralKeys(member),
    ...doubledArtefacts(member),
    ...requirements(member, byId),
    // What a requirement that is not here would bring cannot be judged.
    ...(open.has(member) ? [] : [...unsatisfiedSteps(member, supply, new Map()), ...(commands.get(member) ?? [])]),
  ]
}

const collisions = (members: readonly Member[]): Map<Member, readonly Fault[]> => {
  const ownership = new Ownership()
  const faults = new Map<Member, readonly Fault[]>()
  for (const member of members) {
    const conflicts = ownership.conflicts(member)
    if (conflicts.length > 0) faults.set(member, conflicts)
    else ownership.take(member)
  }
  return faults
}

const requirements = (member: Member, byId: ReadonlyMap<string, readonly Member[]>): Fault[] =>
  member.facets.requires.flatMap((id) => {
    const there = byId.get(id) ?? []
    if (there.length === 0) return [unmetRequirement(id, NOT_INSTALLED)]
    return higherTier(member, there) ?? []
  })

/** Members with a requirement, direct or not, that is in neither set. */
const openEnded = (members: readonly Member[], byId: ReadonlyMap<string, readonly Member[]>): Set<Member> => {
  const dependents = new Map<string, Member[]>()
  for (const member of members) {
    for (const id of member.facets.requires) {
      const list = dependents.get(id)
      if (list === undefined) dependents.set(id, [member])
      else list.push(member)
    }
  }
  const found = new Set<Member>()
  const open = [...dependents.keys()].filter((id) => !byId.has(id))
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const member of dependents.get(id) ?? []) {
      if (found.has(member)) continue
      found.add(member)
      open.push(member.id)
    }
  }
  return found
}

const memberOf = (value: unknown, rank: number): Member | null => {
  const facets = facetsOf(value)
  if (facets === null) return null
  const origin = rank === 0 ? 'first-party' : 'project'
  const candidate = { manifest: value as Manifest, origin, dir: null, fragments: {} } as const
  return {
    candidate,
    facets,
    id: facets.id,
    origin,
    rank,
    name: rank === 0 ? `${quote(facets.id)} (first-party)` : quote(facets.id),
  }
}

const diagnosticOf = (member: Member, fault: Fault): Diagnostic => {
  const hint = fault.hint ?? (fault.code.endsWith('_COLLISION') ? RENAME : undefined)
  return diagnostic(severityOf(fault), fault.code, `${member.name}: ${fault.reason}`, {
    id: member.id,
    path: fault.pointer,
    ...(hint === undefined ? {} : { hint }),
  })
}

const RENAME = 'give it a name that nothing else has, for example one that starts with the id of the capability'

const severityOf = (fault: Fault): Severity => (fault.code === 'REGISTRY_REQUIRES_MISSING' ? 'warning' : 'error')

const notAManifest = (value: unknown, index: number): CrossDiagnostic => ({
  ...diagnostic(
    'error',
    'REGISTRY_NOT_A_MANIFEST',
    `${describe(value)} is not a manifest: an object with an id is due`,
    { path: '' },
  ),
  index,
})

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object without an id' : quote(value)
}
