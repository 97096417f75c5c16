import { hasCentralKeyBelow, isCentralKey, parentsOf } from '../manifest/central-keys.ts'
import { quote } from '../redact.ts'
import { type OwnedName, OWNED_KINDS } from './facets.ts'
import type { Fault } from './fault.ts'
import type { Member } from './member.ts'

/**
 * Who owns what in the merged set, while it grows. Rule 43 gives each skill, agent, config key, command family, lane
 * slug, lane flag and lane section one owner, rule 45 each artefact at a point one step that produces it.
 */
export class Ownership {
  /** Kind (and for artefacts, point) → name → owner. */
  readonly #owners = new Map<string, Map<string, Member>>()
  /** Proper prefixes of owned config keys, by whole segments → an owner of a key below. */
  readonly #parents = new Map<string, Member>()

  /** The names of a member that others already own. */
  conflicts(member: Member): readonly Fault[] {
    let faults: Fault[] | null = null
    for (const owned of member.facets.ownedNames) {
      const by = this.#conflictingOwner(owned)
      if (by !== undefined) (faults ??= []).push(ownershipFault(owned, by))
    }
    return faults ?? NO_FAULTS
  }

  assign(member: Member): void {
    for (const owned of member.facets.ownedNames) {
      const space = namespaceOf(owned)
      const names = this.#owners.get(space)
      if (names === undefined) this.#owners.set(space, new Map([[owned.name, member]]))
      else names.set(owned.name, member)
      if (owned.kind !== 'config') continue
      for (const parent of parentsOf(owned.name)) if (!this.#parents.has(parent)) this.#parents.set(parent, member)
    }
  }

  #conflictingOwner(owned: OwnedName): Member | undefined {
    const names = this.#owners.get(namespaceOf(owned))
    if (names === undefined) return undefined
    const owner = names.get(owned.name)
    if (owner !== undefined || owned.kind !== 'config') return owner
    const below = this.#parents.get(owned.name)
    if (below !== undefined) return below
    for (const parent of parentsOf(owned.name)) {
      const above = names.get(parent)
      if (above !== undefined) return above
    }
    return undefined
  }
}

const NO_FAULTS: readonly Fault[] = []

/** Names are unique within one of these. */
const namespaceOf = (owned: OwnedName): string => (owned.kind === 'artefact' ? `artefact ${owned.point}` : owned.kind)

const ownershipFault = (owned: OwnedName, blocker: Member): Fault => ({
  code: OWNED_KINDS[owned.kind].code,
  reason: owned.kind === 'config' ? configReason(owned, blocker) : ownedReason(owned, blocker),
  pointer: owned.pointer,
  blocker,
})

const ownedReason = (owned: OwnedName, by: Member): string => {
  const what = `${OWNED_KINDS[owned.kind].noun} ${quote(owned.name)}`
  return owned.kind === 'artefact'
    ? `its ${what} at ${owned.point} is produced there by ${by.name}`
    : `its ${what} belongs to ${by.name}`
}

const configReason = (owned: OwnedName, by: Member): string => {
  const theirs = by.facets.ownedNames.filter((other) => other.kind === 'config').map((other) => other.name)
  if (theirs.includes(owned.name)) return ownedReason(owned, by)
  const near = theirs.find((key) => isBelow(key, owned.name) || isBelow(owned.name, key))
  return `its config key ${quote(owned.name)} and ${quote(near)} of ${by.name} cannot both hold a value`
}

const isBelow = (key: string, parent: string): boolean => key.startsWith(`${parent}.`)

/** Config keys that belong to GSD itself, or are the parent of such keys (rules 16 and 43). */
export const checkCentralKeys = (member: Member): readonly Fault[] => {
  let faults: Fault[] | null = null
  for (const { kind, name, pointer } of member.facets.ownedNames) {
    if (kind !== 'config') continue
    if (isCentralKey(name))
      (faults ??= []).push(centralKeyFault(pointer, `its config key ${quote(name)} belongs to GSD itself`))
    else if (hasCentralKeyBelow(name))
      (faults ??= []).push(
        centralKeyFault(pointer, `its config key ${quote(name)} is the parent of keys of GSD itself`),
      )
  }
  return faults ?? NO_FAULTS
}

const centralKeyFault = (pointer: string, reason: string): Fault => ({
  code: 'REGISTRY_CONFIG_CENTRAL',
  reason,
  pointer,
  hint: 'use another first segment, for example the id of the capability',
})

/** Two steps of one capability that produce the same artefact at the same point (rule 45). */
export const checkDuplicateArtefacts = (member: Member): readonly Fault[] => {
  const artefacts = member.facets.ownedNames.filter(isArtefact)
  if (artefacts.length < 2) return NO_FAULTS
  const seen = new Set<string>()
  return artefacts.flatMap(({ point, name, pointer }): Fault[] => {
    const key = `${point}\0${name}`
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    const reason = `two of its steps at ${point} produce the same artefact ${quote(name)}`
    return [{ code: 'REGISTRY_ARTEFACT_COLLISION', reason, pointer }]
  })
}

const isArtefact = ({ kind }: OwnedName): boolean => kind === 'artefact'
