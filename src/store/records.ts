import { CODES, type Code } from '../codes.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { CONSENT } from './consent.ts'
import type { Disk } from './disk.ts'
import { HOSTS } from './hosts.ts'
import type { StoreName } from './journal-entry.ts'
import { isObject, jsonText, type JsonObject } from './json-text.ts'
import { LEDGER } from './ledger.ts'
import type { ScopePlaces, UserPlaces } from './places.ts'
import { STATE } from './state.ts'
import { readStoreFile, type Kind, type StoreFile } from './store-file.ts'

export interface Store {
  readonly kind: Kind<unknown>
  readonly file: (user: UserPlaces, places: ScopePlaces) => string
  readonly links: (places: ScopePlaces) => boolean
  /** Of a file that is new. */
  readonly mode?: number
}

/** The files whose members an operation changes. */
export const STORES: Readonly<Record<StoreName, Store>> = {
  consent: { kind: CONSENT, file: (user) => user.consent, links: () => true, mode: 0o600 },
  // It repeats what servers are given, secrets that a manifest should not hold among it.
  hosts: { kind: HOSTS, file: (_user, places) => places.hosts, links: () => true, mode: 0o600 },
  state: { kind: STATE, file: (_user, places) => places.state, links: (places) => places.trusted },
  ledger: { kind: LEDGER, file: (_user, places) => places.ledger, links: (places) => places.trusted },
}

/** One of the stores as it is now, as JSON. */
export const readRecords = (disk: Disk, user: UserPlaces, places: ScopePlaces, name: StoreName): StoreFile<unknown> => {
  const store = STORES[name]
  return readStoreFile(disk, store.file(user, places), store.kind, { links: store.links(places) })
}

/** The text of a store; null when nothing is in it. Then the file goes, so that what was removed leaves no trace. */
export const recordsText = (json: JsonObject): string | null => {
  const members = Object.entries(json).filter(([key]) => key !== 'schema')
  return members.every(([, member]) => isObject(member) && Object.keys(member).length === 0) ? null : jsonText(json)
}

/** Refuses a change because a file cannot be read; exit 4 (security page, "Operations"). */
export const unreadable = ({ code, message, file, line, column, hint }: Diagnostic): GsdError =>
  new GsdError(
    isCode(code) ? code : 'STATE_UNREADABLE',
    line === undefined ? message : `${message} (line ${line}, column ${column})`,
    {
      details: { file, line, column },
      ...(hint === undefined ? {} : { hint }),
    },
  )

const isCode = (code: string): code is Code => Object.hasOwn(CODES, code)
