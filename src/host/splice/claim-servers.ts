import type { Json } from '../../store/journal-entry.ts'
import { isObject, sameJson } from '../../store/json-text.ts'
import { sameEntry } from '../entry.ts'
import type { HostServer } from '../host-edit.ts'
import type { Wanted } from './claim.ts'

/** A server that a host's file holds, ours or not. */
export interface FoundServer {
  readonly name: string
  readonly value: Json
  readonly offset: number
}

export interface ServerClaims<T extends FoundServer> {
  /** Servers that go, `edited` where they no longer read as we wrote them. */
  readonly going: readonly { readonly entry: T; readonly edited: boolean }[]
  /** Servers that are to be there and are not, under names that are free. */
  readonly missing: readonly HostServer[]
  /** Servers of ours that stay and were edited. */
  readonly editedStaying: readonly T[]
  /** Servers of the user under names that ours would need. */
  readonly held: readonly T[]
  /** Servers of the user that have taken the place of ours, which are gone. */
  readonly replaced: readonly T[]
}

/**
 * Whose server is whose, from the surest sign to the weakest: as written; the name with a value that is still ours; the
 * value under another name. A name with a value that has nothing of ours in it is the user's; and while a change is
 * `strict`ly planned, so is whatever stands under the name of a server that is not on record.
 */
export const claimServers = <T extends FoundServer>(
  entries: readonly T[],
  { add, remove, recorded, strict }: Wanted<HostServer> & { readonly strict: boolean },
): ServerClaims<T> => {
  const stay = recorded.filter((server) => !includes(remove, server) && !includes(add, server))
  const seekers: Seeker<T>[] = [
    ...remove.filter((server) => !includes(add, server)).map((server) => ({ server, role: 'remove' as const })),
    ...add.map((server) => ({
      server,
      role: includes(recorded, server) ? ('recorded' as const) : ('new' as const),
    })),
    ...stay.map((server) => ({ server, role: 'recorded' as const })),
  ]
  const free = new Set(entries)
  for (const fits of SIGNS) {
    for (const seeker of seekers) {
      if (seeker.taken !== undefined || (seeker.role === 'new' && (strict || fits !== isExact))) continue
      seeker.taken = [...free].find((entry) => fits(entry, seeker.server))
      if (seeker.taken !== undefined) free.delete(seeker.taken)
    }
  }
  const left = [...free]
  const lost = seekers.filter(({ taken }) => taken === undefined)
  const holding = (role: Seeker<T>['role']): T[] =>
    left.filter(({ name }) => lost.some((seeker) => seeker.role === role && seeker.server.name === name))
  const held = holding('new')
  return {
    going: seekers.flatMap(({ server, role, taken }) =>
      role === 'remove' && taken ? [{ entry: taken, edited: !isExact(taken, server) }] : [],
    ),
    missing: lost
      .filter(({ server, role }) => role !== 'remove' && includes(add, server))
      .map(({ server }) => server)
      .filter((server) => !left.some(({ name }) => name === server.name)),
    editedStaying: seekers.flatMap(({ server, role, taken }) =>
      role !== 'remove' && taken && !isExact(taken, server) ? [taken] : [],
    ),
    held,
    replaced: [...holding('remove'), ...holding('recorded')].filter((entry) => !held.includes(entry)),
  }
}

interface Seeker<T> {
  readonly server: HostServer
  readonly role: 'remove' | 'recorded' | 'new'
  taken?: T | undefined
}

type Sign = (entry: FoundServer, server: HostServer) => boolean

const isExact: Sign = (entry, server) => entry.name === server.name && sameJson(entry.value, server.value)

const SIGNS: readonly Sign[] = [
  isExact,
  (entry, server) => entry.name === server.name && isOurs(entry.value, server),
  (entry, server) => sameJson(entry.value, server.value),
  (entry, server) => server.folder !== null && leadsInto(entry.value, server.folder),
]

/** It still leads into our bundle; a server that never did still runs, or talks to, the same. */
const isOurs = (value: Json, server: HostServer): boolean => {
  if (server.folder !== null) return leadsInto(value, server.folder)
  return (
    isObject(value) &&
    ['command', 'url'].some((key) => text(value, key) !== null && text(value, key) === text(server.value, key))
  )
}

const text = (value: { readonly [key: string]: Json }, key: string): string | null => {
  const member = Object.hasOwn(value, key) ? value[key] : null
  return typeof member === 'string' ? member : null
}

const leadsInto = (value: Json, folder: string): boolean => {
  if (typeof value === 'string') return value === folder || value.startsWith(`${folder}/`)
  if (value === null || typeof value !== 'object') return false
  return Object.values(value).some((member) => leadsInto(member, folder))
}

const includes = (servers: readonly HostServer[], server: HostServer): boolean =>
  servers.some((each) => sameEntry(each, server))
