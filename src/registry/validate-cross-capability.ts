import { diagnostic, type Diagnostic, type Severity } from '../diagnostic.ts'
import { copyAsJson } from '../manifest/copy-as-json.ts'
import { Findings } from '../manifest/findings.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { objectOf, stringsOf } from '../manifest/relations/relation.ts'
import { quote } from '../redact.ts'
import { ArtefactSupply, checkSteps } from './artefact-supply.ts'
import { findUnknownCommands } from './command-refs.ts'
import { facetsOf } from './facets.ts'
import { type Fault, NOT_INSTALLED, unmetRequirementFault } from './fault.ts'
import { findHookCycles } from './hook-cycles.ts'
import { groupById, type Member } from './member.ts'
import { checkCentralKeys, checkDuplicateArtefacts, Ownership } from './ownership.ts'
import { checkTier, findRequirementCycles } from './requirements.ts'
import { findTakenIds } from './resolve-members.ts'
import { findUnknownRuntimes } from './unknown-runtimes.ts'

export interface CrossOptions {
  /** Manifests that win every collision and are not reported on. */
  readonly firstParty?: readonly unknown[]
  /** Host runtimes that exist besides those in the set. */
  readonly runtimes?: readonly string[]
}

/** A finding over a set; `index` is that of its manifest in the list. */
export interface CrossDiagnostic extends Diagnostic {
  readonly index: number
}

/**
 * Applies the rules over the merged set (43 to 47) to a list of manifests, each rule to the whole list, so that every
 * fault is found at once. Of two that collide the later one is at fault. A missing requirement is a warning, because it can
 * be installed elsewhere. Accepts any value and never throws; `validateCapability` checks each manifest alone.
 */
export const validateCrossCapability = (manifests: unknown, options: CrossOptions = {}): CrossDiagnostic[] => {
  try {
    return validateList(manifests, options)
  } catch {
    // A getter or proxy threw. A copy has null in its place.
    const findings = new Findings()
    return validateList(copyAsJson(manifests, findings), copyAsJson(options, findings) as CrossOptions)
  }
}

const validateList = (manifests: unknown, options: CrossOptions): CrossDiagnostic[] => {
  if (!Array.isArray(manifests)) return [notAManifest(manifests, 0)]
  const list = manifests as readonly unknown[]
  const { firstParty, runtimes: additional } = objectOf(options)
  const known = (Array.isArray(firstParty) ? firstParty : []).flatMap((value: unknown) => memberOf(value, 0) ?? [])
  const given = list.map((value) => memberOf(value, 1))
  const members = [...known, ...given.filter((member) => member !== null)]
  const faultsOf = checkMembers(members)
  const runtimes = new Map(findUnknownRuntimes(members, stringsOf(additional)).map((finding) => [finding.id, finding]))
  return given.flatMap((member, index): CrossDiagnostic[] => {
    if (member === null) return [notAManifest(list[index], index)]
    const found = faultsOf(member).map((fault) => diagnosticOf(member, fault))
    const unknown = runtimes.get(member.id)
    return [...found, ...(unknown === undefined ? [] : [unknown])].map((finding) => withIndex(finding, index))
  })
}

const withIndex = (finding: Diagnostic, index: number): CrossDiagnostic => ({ ...finding, index })

const checkMembers = (members: readonly Member[]): ((member: Member) => readonly Fault[]) => {
  const byId = groupById(members)
  const supply = new ArtefactSupply(members)
  const found = [
    new Map(findTakenIds(members, [])),
    findCollisions(members),
    findRequirementCycles(members),
    findHookCycles(members),
  ]
  const open = withMissingRequirements(members, byId)
  const commands = findUnknownCommands(members)
  return (member) => [
    ...found.flatMap((faults) => faults.get(member) ?? []),
    ...checkCentralKeys(member),
    ...checkDuplicateArtefacts(member),
    ...checkRequirements(member, byId),
    // The artefacts and commands of a missing requirement are unknown.
    ...(open.has(member) ? [] : [...checkSteps(member, supply, new Map()), ...(commands.get(member) ?? [])]),
  ]
}

const findCollisions = (members: readonly Member[]): Map<Member, readonly Fault[]> => {
  const ownership = new Ownership()
  const faults = new Map<Member, readonly Fault[]>()
  for (const member of members) {
    const conflicts = ownership.conflicts(member)
    if (conflicts.length > 0) faults.set(member, conflicts)
    else ownership.assign(member)
  }
  return faults
}

const checkRequirements = (member: Member, byId: ReadonlyMap<string, readonly Member[]>): Fault[] =>
  member.facets.requires.flatMap((id) => {
    const there = byId.get(id) ?? []
    if (there.length === 0) return [unmetRequirementFault(id, NOT_INSTALLED)]
    return checkTier(member, there) ?? []
  })

/** Members with a missing requirement, direct or not. */
const withMissingRequirements = (
  members: readonly Member[],
  byId: ReadonlyMap<string, readonly Member[]>,
): Set<Member> => {
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
  const hint = fault.hint ?? (fault.code.endsWith('_COLLISION') ? RENAME_HINT : undefined)
  return diagnostic(severityOf(fault), fault.code, `${member.name}: ${fault.reason}`, {
    id: member.id,
    path: fault.pointer,
    ...(hint === undefined ? {} : { hint }),
  })
}

const RENAME_HINT = 'choose another name, for example one that starts with the id of the capability'

const severityOf = (fault: Fault): Severity => (fault.code === 'REGISTRY_REQUIRES_MISSING' ? 'warning' : 'error')

const notAManifest = (value: unknown, index: number): CrossDiagnostic => ({
  ...diagnostic(
    'error',
    'REGISTRY_NOT_A_MANIFEST',
    `${describeValue(value)} is not a manifest: it must be an object with an id`,
    { path: '' },
  ),
  index,
})

const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object without an id' : quote(value)
}
