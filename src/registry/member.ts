import { quote } from '../redact.ts'
import { type Facets, facetsOf } from './facets.ts'
import type { Candidate, Origin } from './registry.ts'

/** A candidate on its way into the merged set. */
export interface Member {
  readonly candidate: Candidate
  readonly facets: Facets
  readonly id: string
  readonly origin: Origin
  /** Precedence: 0 first-party, 1 project, 2 global. The smaller one wins. */
  readonly rank: number
  /** How messages call it: `"a" (project)`. */
  readonly name: string
}

export const RANKS = { 'first-party': 0, project: 1, global: 2 } as const satisfies Record<Origin, number>

/**
 * Candidates as members, in an order that depends on nothing but themselves: by precedence, id and folder. A candidate
 * without an id (possible only for values that never passed the manifest's own rules) is left out.
 */
export const membersOf = (candidates: readonly Candidate[]): Member[] =>
  candidates
    .flatMap((candidate): Member[] => {
      const facets = facetsOf(candidate.manifest)
      if (facets === null) return []
      const { origin } = candidate
      const name = `${quote(facets.id)} (${origin})`
      return [{ candidate, facets, id: facets.id, origin, rank: RANKS[origin], name }]
    })
    .sort(byPrecedence)

const byPrecedence = (a: Member, b: Member): number =>
  a.rank - b.rank || compareText(a.id, b.id) || compareText(a.candidate.dir ?? '', b.candidate.dir ?? '')

/** Order of code units: the same everywhere, whatever the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Groups members by id; each group keeps the order of precedence. */
export const groupById = (members: Iterable<Member>): Map<string, Member[]> => {
  const groups = new Map<string, Member[]>()
  for (const member of members) {
    const group = groups.get(member.id)
    if (group === undefined) groups.set(member.id, [member])
    else group.push(member)
  }
  return groups
}
