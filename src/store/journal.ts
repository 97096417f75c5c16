import type { HostEdit, TextPatch } from '../host/host-edit.ts'
import { quote } from '../redact.ts'
import type { Disk } from './disk.ts'
import { entryOf, hostRecordOf, surfaceOf } from './hosts.ts'
import type { Change, Journal, Json, Spelling, StoreName } from './journal-entry.ts'
import { jsonText } from './json-text.ts'
import { parseKept } from './kept-json.ts'
import { isCapabilityId, isForbiddenKey, isInnerPath, isOperationName } from './names.ts'
import type { ScopePlaces } from './places.ts'
import { replaceFile } from './replace.ts'
import {
  flagOf,
  itemsOf,
  memberOf,
  misshapen,
  nullable,
  numberOf,
  optional,
  pathOf,
  stringOf,
  textOf,
  type Member,
} from './shape.ts'
import { readStoreFile, type Kind, type StoreFile } from './store-file.ts'

/** Reads `.journal.json`, which is always the user's own, never a repository's. Never throws for what it finds. */
export const readJournal = (disk: Disk, places: Pick<ScopePlaces, 'journal'>): StoreFile<Journal> =>
  readStoreFile(disk, places.journal, JOURNAL, { links: false })

/**
 * Writes the journal before the first change. There must be none: an older one is finished or undone first.
 * @throws STATE_*
 */
export const writeJournal = (disk: Disk, places: ScopePlaces, journal: Journal): void => {
  const bytes = Buffer.from(jsonText(journal as unknown as Json))
  // A journal that could not be read again would be worse than none.
  parseKept(bytes, JOURNAL)
  replaceFile(disk, places.journal, bytes, { operation: journal.operation, expect: null, mode: 0o600 })
}

/** Paths in it are replayed, so each is held to its form: a journal can name nothing but what a plan may name. */
export const JOURNAL: Kind<Journal> = {
  name: 'journal of an interrupted operation',
  schema: 1,
  hint: 'nothing is changed while it is there; if you are sure that you do not need it, move that file away',
  read: (root) => {
    const made = optional(memberOf(root, 'made'), (at) => itemsOf(at).map(pathOf))
    const spellings = optional(memberOf(root, 'spellings'), (at) => itemsOf(at).map(spellingOf))
    const modes = optional(memberOf(root, 'modes'), (at) => itemsOf(at).map(modeOf))
    return {
      schema: 1,
      operation: textOf(memberOf(root, 'operation'), isOperationName, 'name of an operation'),
      command: stringOf(memberOf(root, 'command')),
      scope: textOf(memberOf(root, 'scope'), isScope, 'scope') as Journal['scope'],
      root: pathOf(memberOf(root, 'root')),
      changes: itemsOf(memberOf(root, 'changes')).map(changeOf),
      ...(made === undefined ? {} : { made }),
      ...(spellings === undefined ? {} : { spellings }),
      ...(modes === undefined ? {} : { modes }),
    }
  },
}

const changeOf = (at: Member): Change => {
  const kind = textOf(memberOf(at, 'kind'), (text) => Object.hasOwn(CHANGES, text), 'kind of change') as Change['kind']
  return CHANGES[kind](at)
}

const CHANGES = {
  record: (at) => ({
    kind: 'record',
    store: storeOf(memberOf(at, 'store')),
    key: keyOf(memberOf(at, 'key')),
    before: jsonOf(memberOf(at, 'before')),
    after: jsonOf(memberOf(at, 'after')),
  }),
  swap: (at) => ({
    kind: 'swap',
    target: textOf(memberOf(at, 'target'), isTarget, 'place of a bundle or receipt'),
    from: nullable(memberOf(at, 'from'), (from) => textOf(from, isInnerPath, 'path in the staging folder')),
    replaces: flagOf(memberOf(at, 'replaces')),
  }),
  host: (at) => ({ kind: 'host', edit: editOf(memberOf(at, 'edit')) }),
} satisfies { readonly [K in Change['kind']]: (at: Member) => Extract<Change, { kind: K }> }

/** `capabilities/<id>`, `receipts/<id>.json`, `kept/<id>-<hash>`: the only places that are moved or taken away. */
export const isTarget = (text: string): boolean => {
  const [, id] =
    /^capabilities\/([^/]+)$/.exec(text) ??
    /^receipts\/([^/]+)\.json$/.exec(text) ??
    /^kept\/([^/]+)-[0-9a-f]{12}$/.exec(text) ??
    []
  return id !== undefined && isCapabilityId(id)
}

const editOf = (at: Member): HostEdit => {
  const mode = optional(memberOf(at, 'mode'), numberOf)
  return {
    file: pathOf(memberOf(at, 'file')),
    surface: surfaceOf(memberOf(at, 'surface')),
    id: textOf(memberOf(at, 'id'), isCapabilityId, 'capability id'),
    add: itemsOf(memberOf(at, 'add')).map(entryOf),
    remove: itemsOf(memberOf(at, 'remove')).map(entryOf),
    hashBefore: nullable(memberOf(at, 'hashBefore'), hashTextOf),
    hashAfter: nullable(memberOf(at, 'hashAfter'), hashTextOf),
    ...(mode === undefined ? {} : { mode }),
    patches: itemsOf(memberOf(at, 'patches')).map(patchOf),
    recordBefore: nullable(memberOf(at, 'recordBefore'), hostRecordOf),
    recordAfter: nullable(memberOf(at, 'recordAfter'), hostRecordOf),
  }
}

const patchOf = (at: Member): TextPatch => ({
  offset: numberOf(memberOf(at, 'offset')),
  remove: stringOf(memberOf(at, 'remove')),
  insert: stringOf(memberOf(at, 'insert')),
})

const spellingOf = (at: Member): Spelling => ({
  store: storeOf(memberOf(at, 'store')),
  hashAfter: nullable(memberOf(at, 'hashAfter'), hashTextOf),
  patch: patchOf(memberOf(at, 'patch')),
})

const modeOf = (at: Member) => ({ file: pathOf(memberOf(at, 'file')), mode: numberOf(memberOf(at, 'mode')) & 0o7777 })

const STORES = { consent: true, hosts: true, state: true, ledger: true } as const satisfies Record<StoreName, true>
const storeOf = (at: Member): StoreName =>
  textOf(at, (text) => Object.hasOwn(STORES, text), 'name of a store') as StoreName

const keyOf = (at: Member): readonly string[] => {
  const keys = itemsOf(at).map((item) => {
    const key = stringOf(item)
    return isForbiddenKey(key) ? misshapen(item, `is no key: ${quote(key)}`) : key
  })
  return keys.length === 2 ? keys : misshapen(at, 'is no pair of keys')
}

/** Whatever JSON holds, the readers of the stores check it again once it is in place. */
const jsonOf = (at: Member): Json => (at.value === undefined ? misshapen(at, 'is missing') : (at.value as Json))
const isScope = (text: string): boolean => text === 'global' || text === 'project'
const hashTextOf = (at: Member): string => textOf(at, (text) => /^[0-9a-f]{128}$/.test(text), 'sha512')
