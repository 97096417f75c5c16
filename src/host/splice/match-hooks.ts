import type { HostHook } from '../../state/host-edit.ts'
import { sameHook } from '../edit/host-entry.ts'
import { type DesiredChange, type EntryMatches, type MatchCriterion, matchEntries } from './match-entries.ts'
import { mentionsPath } from './mentions-path.ts'

/** A hook that a host's file holds, ours or not. */
export interface FoundHook {
  readonly event: string
  readonly matcher: string | undefined
  readonly command: string
  readonly timeout: number | undefined
  /** It has more members than we write. */
  readonly hasExtraMembers: boolean
  readonly offset: number
}

export interface HookMatches<T extends FoundHook> extends Pick<EntryMatches<T, HostHook>, 'toRemove' | 'keptEdited'> {
  /** Hooks that are to be there and are not. */
  readonly toAdd: readonly HostHook[]
  /** Entries of the user that name a script of ours. */
  readonly foreign: readonly T[]
}

/** A script's path in a command counts only for hooks on record: an unknown command that names our script is the user's. */
const CRITERIA: readonly [MatchCriterion<FoundHook, HostHook>, ...MatchCriterion<FoundHook, HostHook>[]] = [
  { forNew: true, fits: (found, hook) => !found.hasExtraMembers && sameHook(found, hook) },
  { forNew: true, fits: (found, hook) => found.command === hook.command && found.event === hook.event },
  { forNew: true, fits: (found, hook) => found.command === hook.command },
  { forNew: false, fits: (found, hook) => mentionsPath(found.command, hook.script) && found.event === hook.event },
  { forNew: false, fits: (found, hook) => mentionsPath(found.command, hook.script) },
]

/** Matches our hooks with those a file holds. Further copies of a hook that is removed are removed too. */
export const matchHooks = <T extends FoundHook>(
  found: readonly T[],
  desired: DesiredChange<HostHook>,
): HookMatches<T> => {
  const { own, unmatched, toRemove, keptEdited } = matchEntries<T, HostHook>(found, desired, CRITERIA)
  const isCopy = ({ command }: T): boolean => {
    const same = own.filter(({ entry }) => entry.command === command)
    return same.length > 0 && same.every(({ role }) => role === 'remove')
  }
  const namesOurScript = ({ command }: T): boolean => own.some(({ entry }) => mentionsPath(command, entry.script))
  return {
    toRemove: [...toRemove, ...unmatched.filter(isCopy).map((copy) => ({ found: copy, edited: true }))],
    toAdd: own.filter(({ isDesired, match }) => isDesired && match === undefined).map(({ entry }) => entry),
    keptEdited,
    foreign: unmatched.filter((each) => !isCopy(each) && namesOurScript(each)),
  }
}
