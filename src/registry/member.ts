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
  /** Its name in messages: `"a" (project)`. */
  readonly name: string
}

export const RANKS = { 'first-party': 0, project: 1, global: 2 } as const satisfies Record<Origin, number>

/**
 * Candidates as members, sorted by precedence, id and folder. A candidate without an id (a value that never passed the
 * manifest's own rules) is omitted.
 */
export const membersOf = (candidates: readonly Candidate[]): Member[] =>
  candidates
    .map(memberOf)
    .filter((member) => member !== null)
    .sort(byPrecedence)

const memberOf = (candidate: Candidate): Member | null => {
  const facets = facetsOf(candidate.manifest)
  return facets === null ? null : new CandidateMember(candidate, facets)
}

class CandidateMember implements Member {
  readonly candidate: Candidate
  readonly facets: Facets
  readonly id: string
  readonly origin: Origin
  readonly rank: number

  constructor(candidate: Candidate, facets: Facets) {
    this.candidate = candidate
    this.facets = facets
    this.id = facets.id
    this.origin = candidate.origin
    this.rank = RANKS[candidate.origin]
  }

  /** Only needed for the few members in messages. */
  get name(): string {
    return `${quote(this.id)} (${this.origin})`
  }
}

const byPrecedence = (a: Member, b: Member): number =>
  a.rank - b.rank || compareText(a.id, b.id) || compareText(a.candidate.dir ?? '', b.candidate.dir ?? '')

/** Order of code units: the same everywhere, whatever the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Groups members by id, for all ids or for those in `wanted`; each group keeps its order. */
export const groupById = (members: Iterable<Member>, wanted?: ReadonlySet<string>): Map<string, Member[]> => {
  const groups = new Map<string, Member[]>()
  for (const member of members) {
    if (wanted !== undefined && !wanted.has(member.id)) continue
    const group = groups.get(member.id)
    if (group === undefined) groups.set(member.id, [member])
    else group.push(member)
  }
  return groups
}
