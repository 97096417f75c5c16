import type { SpecKind } from '../spec/spec.ts'
import type { Disk } from './disk.ts'
import { isObject } from './json-text.ts'
import type { LedgerEntry } from './ledger-entry.ts'
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
  sriIn,
  sriOf,
  textIn,
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

/** Looked at member by member, and then taken as it is: a ledger may hold ten thousand of them. */
const entryOf = (at: Member): LedgerEntry => {
  textIn(at, 'version', isShort, 'version')
  textIn(at, 'spec', isNotEmpty, 'spec')
  checkResolved(memberOf(at, 'resolved'))
  nullable(memberOf(at, 'integrity'), sriOf)
  sriIn(at, 'digest')
  itemsOf(memberOf(at, 'requires')).forEach(idOf)
  if (optional(memberOf(at, 'auto'), flagOf) === false) misshapen(memberOf(at, 'auto'), 'is true or not there')
  textIn(at, 'surfaces')
  itemsOf(memberOf(at, 'runtimes')).forEach(idOf)
  return at.value as LedgerEntry
}

const checkResolved = (at: Member): void => {
  const kind = textIn(at, 'kind', isKind, 'kind of source')
  for (const key of OPTIONAL) if (isObject(at.value) && Object.hasOwn(at.value, key)) textIn(at, key)
  const path = memberOf(at, 'path')
  if (path.value !== undefined) textOf(path, kind === 'git' ? isInnerPath : isRelative, 'path')
}

const OPTIONAL = ['url', 'commit', 'tag', 'version'] as const

const KINDS = { git: true, npm: true, tarball: true, local: true, catalog: true } as const satisfies Record<
  SpecKind,
  true
>
const isKind = (text: string): boolean => Object.hasOwn(KINDS, text)

const idOf = (at: Member): string => textOf(at, isCapabilityId, 'id')
const isNotEmpty = (text: string): boolean => text !== ''
const isShort = (text: string): boolean => text !== '' && text.length <= 256
/** Of a folder or file beside the scope root, from which it may lead upwards. */
const isRelative = (text: string): boolean => text !== '' && !text.startsWith('/')
