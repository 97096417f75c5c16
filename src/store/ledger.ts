import type { SpecKind } from '../spec/spec.ts'
import type { Disk } from './disk.ts'
import type { LedgerEntry, Resolved } from './ledger-entry.ts'
import { isCapabilityId, isInnerPath } from './names.ts'
import type { ScopePlaces } from './places.ts'
import {
  flagOf,
  itemsOf,
  memberOf,
  membersOf,
  misshapen,
  nullable,
  optional,
  sriOf,
  textOf,
  type Member,
} from './shape.ts'
import { readStoreFile, type Kind, type StoreFile } from './store-file.ts'

/** What is installed in a scope; also its lockfile. */
export interface Ledger {
  readonly capabilities: ReadonlyMap<string, LedgerEntry>
}

/** Reads `ledger.json`. Never throws for what it finds. */
export const readLedger = (disk: Disk, places: ScopePlaces): StoreFile<Ledger> =>
  readStoreFile(disk, places.ledger, LEDGER, { links: places.trusted })

/** Every id and path in it is checked before anything uses it; unknown members are kept by whoever writes. */
export const LEDGER: Kind<Ledger> = {
  name: 'ledger',
  schema: 1,
  hint: 'mend that file, or restore it from version control; nothing is changed while it cannot be read',
  read: (root) => ({
    capabilities: new Map(
      optional(memberOf(root, 'capabilities'), (at) =>
        membersOf(at, isCapabilityId, 'capability id').map(([id, entry]) => [id, entryOf(entry)] as const),
      ),
    ),
  }),
}

const entryOf = (at: Member): LedgerEntry => {
  const auto = optional(memberOf(at, 'auto'), flagOf)
  if (auto === false) misshapen(memberOf(at, 'auto'), 'is true or not there')
  return {
    version: textOf(memberOf(at, 'version'), isShort, 'version'),
    spec: textOf(memberOf(at, 'spec'), (text) => text !== '', 'spec'),
    resolved: resolvedOf(memberOf(at, 'resolved')),
    integrity: nullable(memberOf(at, 'integrity'), sriOf),
    digest: sriOf(memberOf(at, 'digest')),
    requires: itemsOf(memberOf(at, 'requires')).map(idOf),
    ...(auto === undefined ? {} : { auto: true as const }),
    surfaces: textOf(memberOf(at, 'surfaces')),
    runtimes: itemsOf(memberOf(at, 'runtimes')).map(idOf),
  }
}

const resolvedOf = (at: Member): Resolved => {
  const kind = textOf(memberOf(at, 'kind'), isKind, 'kind of source') as SpecKind
  const text = (key: string) => optional(memberOf(at, key), (member) => textOf(member))
  const found = { url: text('url'), commit: text('commit'), tag: text('tag'), version: text('version') }
  const path = optional(memberOf(at, 'path'), (member) =>
    textOf(member, kind === 'git' ? isInnerPath : isRelative, 'path'),
  )
  return { kind, ...definedIn({ ...found, path }) }
}

const KINDS = { git: true, npm: true, tarball: true, local: true, catalog: true } as const satisfies Record<
  SpecKind,
  true
>
const isKind = (text: string): boolean => Object.hasOwn(KINDS, text)

const definedIn = (members: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, string] => member[1] !== undefined))

const idOf = (at: Member): string => textOf(at, isCapabilityId, 'id')
const isShort = (text: string): boolean => text !== '' && text.length <= 256
/** Of a folder or file beside the scope root, from which it may lead upwards. */
const isRelative = (text: string): boolean => text !== '' && !text.startsWith('/')
