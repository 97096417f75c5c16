import type { HostServer } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import { isObject, sameJson } from '../../state/json-text.ts'
import { type DesiredChange, type EntryMatches, type OwnEntry, matchEntries } from './match-entries.ts'

/** A server that a host's file holds, ours or not. */
export interface FoundServer {
  readonly name: string
  readonly value: Json
  readonly offset: number
}

export interface ServerMatches<T extends FoundServer> extends Pick<
  EntryMatches<T, HostServer>,
  'toRemove' | 'keptEdited'
> {
  /** Servers that are to be there and are not, under names that are free. */
  readonly toAdd: readonly HostServer[]
  /** Servers of the user under names that ours need. */
  readonly nameConflicts: readonly T[]
  /** Servers of the user under the names of ours that are gone. */
  readonly replaced: readonly T[]
}

/**
 * Matches our servers with those a file holds. A server under our name with nothing of ours in its value is the user's;
 * while a change is planned (`strict`), so is each one under the name of a server that is not on record, unless equal ones are
 * to be adopted.
 */
export const matchServers = <T extends FoundServer>(
  found: readonly T[],
  {
    strict,
    adopt = false,
    ...desired
  }: DesiredChange<HostServer> & { readonly strict: boolean; readonly adopt?: boolean },
): ServerMatches<T> => {
  const { own, unmatched, toRemove, keptEdited } = matchEntries<T, HostServer>(found, desired, [
    { forNew: !strict || adopt, fits: (each, { name, value }) => each.name === name && sameJson(each.value, value) },
    { forNew: false, fits: (each, server) => each.name === server.name && isOwnValue(each.value, server) },
    { forNew: false, fits: (each, { value }) => sameJson(each.value, value) },
    { forNew: false, fits: (each, { folder }) => folder !== null && pointsInto(each.value, folder) },
  ])
  const missing = own.filter(({ match }) => match === undefined)
  const withNameOf = (role: OwnEntry<T, HostServer>['role']): T[] =>
    unmatched.filter(({ name }) => missing.some((each) => each.role === role && each.entry.name === name))
  const nameConflicts = withNameOf('new')
  return {
    toRemove,
    keptEdited,
    toAdd: missing
      .filter(({ entry, isDesired }) => isDesired && !unmatched.some(({ name }) => name === entry.name))
      .map(({ entry }) => entry),
    nameConflicts,
    replaced: [...withNameOf('remove'), ...withNameOf('recorded')].filter((each) => !nameConflicts.includes(each)),
  }
}

/** It points into our bundle; one that never did has the same command or URL. */
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
