import { sameHook } from '../entry.ts'
import type { HostHook } from '../host-edit.ts'
import { mentionsPath } from '../mentions.ts'

/** What of a found entry decides whose it is. */
export interface Found {
  readonly event: string
  readonly matcher: string | undefined
  readonly command: string
  readonly timeout: number | undefined
  readonly more: boolean
}

export interface Claims<T extends Found> {
  /** Entries that go, `edited` where they no longer read as we wrote them. */
  readonly going: readonly { readonly entry: T; readonly edited: boolean }[]
  /** Hooks that are to be there and are not. */
  readonly missing: readonly HostHook[]
  /** Entries of ours that stay and were edited. */
  readonly editedStaying: readonly T[]
  /** Entries that name a script of ours and are none of the above: the user's own. */
  readonly foreign: readonly T[]
}

export interface Wanted<E = HostHook> {
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
export const claimEntries = <T extends Found>(entries: readonly T[], wanted: Wanted): Claims<T> => {
  const stay = wanted.recorded.filter((hook) => !includes(wanted.remove, hook) && !includes(wanted.add, hook))
  const seekers: Seeker<T>[] = [
    ...wanted.remove.filter((hook) => !includes(wanted.add, hook)).map((hook) => ({ hook, role: 'remove' as const })),
    ...wanted.add.map((hook) => ({
      hook,
      role: includes(wanted.recorded, hook) ? ('recorded' as const) : ('new' as const),
    })),
    ...stay.map((hook) => ({ hook, role: 'recorded' as const })),
  ]
  const free = new Set(entries)
  for (const sign of SIGNS) {
    for (const seeker of seekers) {
      if (seeker.taken !== undefined || (sign.onRecordOnly && seeker.role === 'new')) continue
      seeker.taken = [...free].find((entry) => sign.fits(entry, seeker.hook))
      if (seeker.taken !== undefined) free.delete(seeker.taken)
    }
  }
  const copies = [...free].filter((entry) => isCopy(entry, seekers))
  for (const copy of copies) free.delete(copy)
  const scripts = seekers.map(({ hook }) => hook.script)
  return {
    going: [
      ...seekers.flatMap(({ hook, role, taken }) =>
        role === 'remove' && taken ? [{ entry: taken, edited: !isExact(taken, hook) }] : [],
      ),
      ...copies.map((entry) => ({ entry, edited: true })),
    ],
    missing: wanted.add.filter((hook) => seekers.some((each) => each.hook === hook && each.taken === undefined)),
    editedStaying: seekers.flatMap(({ hook, role, taken }) =>
      role !== 'remove' && taken && !isExact(taken, hook) ? [taken] : [],
    ),
    foreign: [...free].filter((entry) => scripts.some((script) => mentionsPath(entry.command, script))),
  }
}

interface Seeker<T> {
  readonly hook: HostHook
  readonly role: 'remove' | 'recorded' | 'new'
  taken?: T | undefined
}

const includes = (hooks: readonly HostHook[], hook: HostHook): boolean => hooks.some((each) => sameHook(each, hook))

const isExact = (entry: Found, hook: HostHook): boolean =>
  !entry.more &&
  entry.event === hook.event &&
  entry.matcher === hook.matcher &&
  entry.command === hook.command &&
  entry.timeout === hook.timeout

const SIGNS: readonly { readonly onRecordOnly: boolean; readonly fits: (entry: Found, hook: HostHook) => boolean }[] = [
  { onRecordOnly: false, fits: isExact },
  { onRecordOnly: false, fits: (entry, hook) => entry.command === hook.command && entry.event === hook.event },
  { onRecordOnly: false, fits: (entry, hook) => entry.command === hook.command },
  { onRecordOnly: true, fits: (entry, hook) => mentionsPath(entry.command, hook.script) && entry.event === hook.event },
  { onRecordOnly: true, fits: (entry, hook) => mentionsPath(entry.command, hook.script) },
]

/** Our command once more, and none of the hooks that stay has that command. */
const isCopy = <T extends Found>(entry: T, seekers: readonly Seeker<T>[]): boolean => {
  const same = seekers.filter(({ hook }) => hook.command === entry.command)
  return same.length > 0 && same.every(({ role }) => role === 'remove')
}
