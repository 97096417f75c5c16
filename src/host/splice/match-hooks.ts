import type { HostHook } from '../../state/host-edit.ts'
import { sameHook } from '../edit/host-entry.ts'
import { mentionsPath } from './mentions-path.ts'

/** What of a found entry decides whose it is. */
export interface FoundHook {
  readonly event: string
  readonly matcher: string | undefined
  readonly command: string
  readonly timeout: number | undefined
  readonly hasExtraMembers: boolean
}

export interface HookMatches<T extends FoundHook> {
  /** Entries that go, `edited` where they no longer read as we wrote them. */
  readonly toRemove: readonly { readonly entry: T; readonly edited: boolean }[]
  /** Hooks that are to be there and are not. */
  readonly toAdd: readonly HostHook[]
  /** Entries of ours that stay and were edited. */
  readonly keptEdited: readonly T[]
  /** Entries that name a script of ours and are none of the above: the user's own. */
  readonly foreign: readonly T[]
}

export interface DesiredChange<E = HostHook> {
  /** Entries to be there afterwards. */
  readonly add: readonly E[]
  /** Entries to be gone. */
  readonly remove: readonly E[]
  /** What `hosts.json` says this capability has in the file. */
  readonly recorded: readonly E[]
}

/**
 * Whose entry is whose, from the surest sign to the weakest: the entry as written; our command in the same event; our
 * command anywhere; our script's path in another command. Each hook takes one entry at most. The weakest sign counts
 * only for hooks that are on record: an unknown command that names our script is the user's own.
 */
export const matchEntries = <T extends FoundHook>(entries: readonly T[], wanted: DesiredChange): HookMatches<T> => {
  const stay = wanted.recorded.filter((hook) => !includesHook(wanted.remove, hook) && !includesHook(wanted.add, hook))
  const seekers: OwnHook<T>[] = [
    ...wanted.remove
      .filter((hook) => !includesHook(wanted.add, hook))
      .map((hook) => ({ hook, role: 'remove' as const })),
    ...wanted.add.map((hook) => ({
      hook,
      role: includesHook(wanted.recorded, hook) ? ('recorded' as const) : ('new' as const),
    })),
    ...stay.map((hook) => ({ hook, role: 'recorded' as const })),
  ]
  const free = new Set(entries)
  for (const sign of MATCH_CRITERIA) {
    for (const seeker of seekers) {
      if (seeker.match !== undefined || (sign.onRecordOnly && seeker.role === 'new')) continue
      seeker.match = [...free].find((entry) => sign.fits(entry, seeker.hook))
      if (seeker.match !== undefined) free.delete(seeker.match)
    }
  }
  const copies = [...free].filter((entry) => isCopy(entry, seekers))
  for (const copy of copies) free.delete(copy)
  const scripts = seekers.map(({ hook }) => hook.script)
  return {
    toRemove: [
      ...seekers.flatMap(({ hook, role, match }) =>
        role === 'remove' && match ? [{ entry: match, edited: !isExact(match, hook) }] : [],
      ),
      ...copies.map((entry) => ({ entry, edited: true })),
    ],
    toAdd: wanted.add.filter((hook) => seekers.some((each) => each.hook === hook && each.match === undefined)),
    keptEdited: seekers.flatMap(({ hook, role, match }) =>
      role !== 'remove' && match && !isExact(match, hook) ? [match] : [],
    ),
    foreign: [...free].filter((entry) => scripts.some((script) => mentionsPath(entry.command, script))),
  }
}

interface OwnHook<T> {
  readonly hook: HostHook
  readonly role: 'remove' | 'recorded' | 'new'
  match?: T | undefined
}

const includesHook = (hooks: readonly HostHook[], hook: HostHook): boolean => hooks.some((each) => sameHook(each, hook))

const isExact = (entry: FoundHook, hook: HostHook): boolean =>
  !entry.hasExtraMembers &&
  entry.event === hook.event &&
  entry.matcher === hook.matcher &&
  entry.command === hook.command &&
  entry.timeout === hook.timeout

const MATCH_CRITERIA: readonly {
  readonly onRecordOnly: boolean
  readonly fits: (entry: FoundHook, hook: HostHook) => boolean
}[] = [
  { onRecordOnly: false, fits: isExact },
  { onRecordOnly: false, fits: (entry, hook) => entry.command === hook.command && entry.event === hook.event },
  { onRecordOnly: false, fits: (entry, hook) => entry.command === hook.command },
  { onRecordOnly: true, fits: (entry, hook) => mentionsPath(entry.command, hook.script) && entry.event === hook.event },
  { onRecordOnly: true, fits: (entry, hook) => mentionsPath(entry.command, hook.script) },
]

/** Our command once more, and none of the hooks that stay has that command. */
const isCopy = <T extends FoundHook>(entry: T, seekers: readonly OwnHook<T>[]): boolean => {
  const same = seekers.filter(({ hook }) => hook.command === entry.command)
  return same.length > 0 && same.every(({ role }) => role === 'remove')
}
