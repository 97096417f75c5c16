import { isCode } from '../codes.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import type { Disk } from '../platform/disk.ts'
import type { StoreName } from './change.ts'
import { GRANTS_FILE } from './grants.ts'
import { HOST_RECORDS_FILE } from './host-records.ts'
import { isObject, jsonText, type JsonObject } from './json-text.ts'
import { LEDGER_FILE } from './ledger.ts'
import { type StateFileKind } from './parse-state-file.ts'
import type { ScopePaths, UserPaths } from './scope-paths.ts'
import { readStateFile, type StateFile } from './state-file.ts'
import { SWITCHES_FILE } from './switches.ts'

export interface Store {
  readonly kind: StateFileKind<unknown>
  readonly file: (user: UserPaths, paths: ScopePaths) => string
  readonly followLinks: (paths: ScopePaths) => boolean
  /** Mode of a new file. */
  readonly mode?: number
}

/** The files whose members an operation changes. */
export const STORES: Readonly<Record<StoreName, Store>> = {
  grants: { kind: GRANTS_FILE, file: (user) => user.grants, followLinks: () => true, mode: 0o600 },
  // It repeats the arguments and environment of servers, which may contain secrets.
  hosts: { kind: HOST_RECORDS_FILE, file: (_user, paths) => paths.hosts, followLinks: () => true, mode: 0o600 },
  state: { kind: SWITCHES_FILE, file: (_user, paths) => paths.state, followLinks: (paths) => paths.trusted },
  ledger: { kind: LEDGER_FILE, file: (_user, paths) => paths.ledger, followLinks: (paths) => paths.trusted },
}

/** Reads a store as JSON. */
export const readStoreJson = (disk: Disk, user: UserPaths, paths: ScopePaths, name: StoreName): StateFile<unknown> => {
  const store = STORES[name]
  return readStateFile(disk, store.file(user, paths), store.kind, { followLinks: store.followLinks(paths) })
}

/** The text of a store; null when it is empty: then the file is deleted. */
export const storeText = (json: JsonObject): string | null => {
  const members = Object.entries(json).filter(([key]) => key !== 'schema')
  return members.every(([, member]) => isObject(member) && Object.keys(member).length === 0) ? null : jsonText(json)
}

/** Refuses a change because a file cannot be read; exit 4 (security page, "Operations"). */
export const unreadableError = ({ code, message, file, line, column, hint }: Diagnostic): GsdError =>
  new GsdError(
    isCode(code) ? code : 'STATE_UNREADABLE',
    line === undefined ? message : `${message} (line ${line}, column ${column})`,
    {
      details: { file, line, column },
      ...(hint === undefined ? {} : { hint }),
    },
  )
