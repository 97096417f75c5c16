import type { HostEntry } from '../../state/host-edit.ts'
import { sameEntry } from '../edit/host-entry.ts'

/** What is to change in one file for one capability. */
export interface DesiredChange<E> {
  /** Entries to be there afterwards. */
  readonly add: readonly E[]
  /** Entries to be gone. */
  readonly remove: readonly E[]
  /** What `hosts.json` says this capability has in the file. */
  readonly recorded: readonly E[]
}

/** A way to recognize an entry of ours in a file. */
export interface MatchCriterion<F, E> {
  readonly fits: (found: F, entry: E) => boolean
  /** It also counts for entries that are not on record. */
  readonly forNew: boolean
}

/** An entry of ours, and what it was matched with. */
export interface OwnEntry<F, E> {
  readonly entry: E
  readonly role: 'remove' | 'recorded' | 'new'
  /** It is one of `add`. */
  readonly isDesired: boolean
  readonly match?: F | undefined
}

export interface EntryMatches<F, E> {
  readonly own: readonly OwnEntry<F, E>[]
  /** What no entry of ours was matched with. */
  readonly unmatched: readonly F[]
  /** Found entries to remove, `edited` where they no longer read as we wrote them. */
  readonly toRemove: readonly { readonly found: F; readonly edited: boolean }[]
  /** Found entries of ours that stay and were edited. */
  readonly keptEdited: readonly F[]
}

/**
 * Matches entries of ours with those a file holds, from the strictest criterion to the loosest; each takes one at most.
 * The first criterion is the entry exactly as written.
 */
export const matchEntries = <F, E extends HostEntry>(
  found: readonly F[],
  { add, remove, recorded }: DesiredChange<E>,
  criteria: readonly [MatchCriterion<F, E>, ...MatchCriterion<F, E>[]],
): EntryMatches<F, E> => {
  const includes = (entries: readonly E[], entry: E): boolean => entries.some((each) => sameEntry(each, entry))
  const stay = recorded.filter((entry) => !includes(remove, entry) && !includes(add, entry))
  const own: { entry: E; role: OwnEntry<F, E>['role']; isDesired: boolean; match?: F | undefined }[] = [
    ...remove
      .filter((entry) => !includes(add, entry))
      .map((entry) => ({ entry, role: 'remove' as const, isDesired: false })),
    ...add.map((entry) => ({
      entry,
      role: includes(recorded, entry) ? ('recorded' as const) : ('new' as const),
      isDesired: true,
    })),
    ...stay.map((entry) => ({ entry, role: 'recorded' as const, isDesired: false })),
  ]
  const unmatched = new Set(found)
  for (const { fits, forNew } of criteria) {
    for (const one of own) {
      if (one.match !== undefined || (one.role === 'new' && !forNew)) continue
      one.match = [...unmatched].find((each) => fits(each, one.entry))
      if (one.match !== undefined) unmatched.delete(one.match)
    }
  }
  const matched = own.flatMap(({ entry, role, match }) =>
    match === undefined ? [] : [{ found: match, role, edited: !criteria[0].fits(match, entry) }],
  )
  return {
    own,
    unmatched: [...unmatched],
    toRemove: matched
      .filter(({ role }) => role === 'remove')
      .map(({ found: each, edited }) => ({ found: each, edited })),
    keptEdited: matched.filter(({ role, edited }) => role !== 'remove' && edited).map(({ found: each }) => each),
  }
}
