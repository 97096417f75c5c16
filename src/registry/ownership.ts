import { hasCentralKeyBelow, isCentralKey, parentsOf } from '../manifest/central-keys.ts'
import { quote } from '../redact.ts'
import { type Claim, CLAIM_KINDS } from './facets.ts'
import type { Fault } from './fault.ts'
import type { Member } from './member.ts'

/**
 * Who owns what in the merged set, while it grows. Rule 43 gives each skill, agent, config key, command family, lane
 * slug, lane flag and lane section one owner, rule 45 each artefact at a point one step that produces it.
 */
export class Ownership {
  readonly #owners = new Map<string, Member>()
  /** Proper prefixes of owned config keys, by whole segments → an owner of a key below. */
  readonly #parents = new Map<string, Member>()

  /** What keeps a member out: everything it claims that others own already, or that nobody may own. */
  conflicts(member: Member): Fault[] {
    return member.facets.claims.flatMap((claim) => {
      const by = this.#ownerAgainst(claim)
      return by === undefined ? [] : [takenBy(claim, by)]
    })
  }

  take(member: Member): void {
    for (const claim of member.facets.claims) {
      this.#owners.set(keyOf(claim), member)
      if (claim.kind !== 'config') continue
      for (const parent of parentsOf(claim.name)) if (!this.#parents.has(parent)) this.#parents.set(parent, member)
    }
  }

  #ownerAgainst(claim: Claim): Member | undefined {
    const owner = this.#owners.get(keyOf(claim))
    if (owner !== undefined || claim.kind !== 'config') return owner
    const below = this.#parents.get(claim.name)
    if (below !== undefined) return below
    for (const parent of parentsOf(claim.name)) {
      const above = this.#owners.get(`config\0${parent}`)
      if (above !== undefined) return above
    }
    return undefined
  }
}

const keyOf = (claim: Claim): string =>
  claim.kind === 'artefact' ? `artefact\0${claim.point}\0${claim.name}` : `${claim.kind}\0${claim.name}`

const takenBy = (claim: Claim, by: Member): Fault => ({
  code: CLAIM_KINDS[claim.kind].code,
  reason: claim.kind === 'config' ? configReason(claim, by) : reasonFor(claim, by),
  pointer: claim.pointer,
  by,
})

const reasonFor = (claim: Claim, by: Member): string => {
  const what = `${CLAIM_KINDS[claim.kind].noun} ${quote(claim.name)}`
  return claim.kind === 'artefact'
    ? `its ${what} at ${claim.point} is produced there by ${by.name}`
    : `its ${what} belongs to ${by.name}`
}

const configReason = (claim: Claim, by: Member): string => {
  const theirs = by.facets.claims.filter((other) => other.kind === 'config').map((other) => other.name)
  if (theirs.includes(claim.name)) return reasonFor(claim, by)
  const near = theirs.find((key) => isBelow(key, claim.name) || isBelow(claim.name, key))
  return `its config key ${quote(claim.name)} and ${quote(near)} of ${by.name} cannot both hold a value`
}

const isBelow = (key: string, parent: string): boolean => key.startsWith(`${parent}.`)

/** Config keys that are the program's own, or would stand where its objects are (rules 16 and 43). */
export const centralKeys = (member: Member): Fault[] =>
  member.facets.claims.flatMap((claim): Fault[] => {
    if (claim.kind !== 'config') return []
    const { name, pointer } = claim
    if (isCentralKey(name)) return [central(pointer, `its config key ${quote(name)} is one of GSD's own`)]
    if (hasCentralKeyBelow(name))
      return [central(pointer, `its config key ${quote(name)} stands where keys of GSD itself lie below`)]
    return []
  })

const central = (pointer: string, reason: string): Fault => ({
  code: 'REGISTRY_CONFIG_CENTRAL',
  reason,
  pointer,
  hint: 'give the key a first segment of its own, for example the id of the capability',
})

/** Two steps of one capability that produce the same artefact at the same point (rule 45). */
export const doubledArtefacts = (member: Member): Fault[] => {
  const seen = new Set<string>()
  return member.facets.claims.flatMap((claim): Fault[] => {
    if (claim.kind !== 'artefact') return []
    const key = keyOf(claim)
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    const reason = `two of its steps at ${claim.point} produce the same artefact ${quote(claim.name)}`
    return [{ code: 'REGISTRY_ARTEFACT_COLLISION', reason, pointer: claim.pointer }]
  })
}
