import type { HostServer } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import { isObject, sameJson } from '../../state/json-text.ts'
import { sameEntry } from '../edit/host-entry.ts'
import type { DesiredChange } from './match-hooks.ts'

/** A server that a host's file holds, ours or not. */
export interface FoundServer {
  readonly name: string
  readonly value: Json
  readonly offset: number
}

export interface ServerMatches<T extends FoundServer> {
  /** Servers that go, `edited` where they no longer read as we wrote them. */
  readonly toRemove: readonly { readonly entry: T; readonly edited: boolean }[]
  /** Servers that are to be there and are not, under names that are free. */
  readonly toAdd: readonly HostServer[]
  /** Servers of ours that stay and were edited. */
  readonly keptEdited: readonly T[]
  /** Servers of the user under names that ours would need. */
  readonly nameConflicts: readonly T[]
  /** Servers of the user that have taken the place of ours, which are gone. */
  readonly replaced: readonly T[]
}

/**
 * Whose server is whose, from the surest sign to the weakest: as written; the name with a value that is still ours; the
 * value under another name. A name with a value that has nothing of ours in it is the user's; and while a change is
 * `strict`ly planned, so is whatever stands under the name of a server that is not on record.
 */
export const matchServers = <T extends FoundServer>(
  entries: readonly T[],
  { add, remove, recorded, strict }: DesiredChange<HostServer> & { readonly strict: boolean },
): ServerMatches<T> => {
  const stay = recorded.filter((server) => !includesServer(remove, server) && !includesServer(add, server))
  const seekers: OwnServer<T>[] = [
    ...remove.filter((server) => !includesServer(add, server)).map((server) => ({ server, role: 'remove' as const })),
    ...add.map((server) => ({
      server,
      role: includesServer(recorded, server) ? ('recorded' as const) : ('new' as const),
    })),
    ...stay.map((server) => ({ server, role: 'recorded' as const })),
  ]
  const free = new Set(entries)
  for (const fits of MATCH_CRITERIA) {
    for (const seeker of seekers) {
      if (seeker.match !== undefined || (seeker.role === 'new' && (strict || fits !== isExact))) continue
      seeker.match = [...free].find((entry) => fits(entry, seeker.server))
      if (seeker.match !== undefined) free.delete(seeker.match)
    }
  }
  const left = [...free]
  const lost = seekers.filter(({ match }) => match === undefined)
  const holding = (role: OwnServer<T>['role']): T[] =>
    left.filter(({ name }) => lost.some((seeker) => seeker.role === role && seeker.server.name === name))
  const nameConflicts = holding('new')
  return {
    toRemove: seekers.flatMap(({ server, role, match }) =>
      role === 'remove' && match ? [{ entry: match, edited: !isExact(match, server) }] : [],
    ),
    toAdd: lost
      .filter(({ server, role }) => role !== 'remove' && includesServer(add, server))
      .map(({ server }) => server)
      .filter((server) => !left.some(({ name }) => name === server.name)),
    keptEdited: seekers.flatMap(({ server, role, match }) =>
      role !== 'remove' && match && !isExact(match, server) ? [match] : [],
    ),
    nameConflicts,
    replaced: [...holding('remove'), ...holding('recorded')].filter((entry) => !nameConflicts.includes(entry)),
  }
}

interface OwnServer<T> {
  readonly server: HostServer
  readonly role: 'remove' | 'recorded' | 'new'
  match?: T | undefined
}

type MatchCriterion = (entry: FoundServer, server: HostServer) => boolean

const isExact: MatchCriterion = (entry, server) => entry.name === server.name && sameJson(entry.value, server.value)

const MATCH_CRITERIA: readonly MatchCriterion[] = [
  isExact,
  (entry, server) => entry.name === server.name && isOwnValue(entry.value, server),
  (entry, server) => sameJson(entry.value, server.value),
  (entry, server) => server.folder !== null && pointsInto(entry.value, server.folder),
]

/** It still leads into our bundle; a server that never did still runs, or talks to, the same. */
const isOwnValue = (value: Json, server: HostServer): boolean => {
  if (server.folder !== null) return pointsInto(value, server.folder)
  return (
    isObject(value) &&
    ['command', 'url'].some(
      (key) => stringMember(value, key) !== null && stringMember(value, key) === stringMember(server.value, key),
    )
  )
}

const stringMember = (value: { readonly [key: string]: Json }, key: string): string | null => {
  const member = Object.hasOwn(value, key) ? value[key] : null
  return typeof member === 'string' ? member : null
}

const pointsInto = (value: Json, folder: string): boolean => {
  if (typeof value === 'string') return value === folder || value.startsWith(`${folder}/`)
  if (value === null || typeof value !== 'object') return false
  return Object.values(value).some((member) => pointsInto(member, folder))
}

const includesServer = (servers: readonly HostServer[], server: HostServer): boolean =>
  servers.some((each) => sameEntry(each, server))
