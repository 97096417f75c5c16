import { isForbiddenKey } from '../manifest/json/object.ts'
import type { Disk } from '../platform/disk.ts'
import { replaceFile } from '../platform/replace-file.ts'
import { quote } from '../redact.ts'
import type { Change, Journal, OriginalFormatting, StoreName } from '../state/change.ts'
import type { HostEdit, TextPatch } from '../state/host-edit.ts'
import { parseHostEntry, parseHostRecord, parseSurface } from '../state/host-records.ts'
import {
  booleanOf,
  itemsOf,
  type Member,
  memberOf,
  nullable,
  numberOf,
  optional,
  pathOf,
  rejectMember,
  stringOf,
  textOf,
} from '../state/json-member.ts'
import type { Json } from '../state/json-text.ts'
import { jsonText } from '../state/json-text.ts'
import { isCapabilityId, isInnerPath, isOperationName } from '../state/name-rules.ts'
import { parseStateFile, type StateFileKind } from '../state/parse-state-file.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readStateFile, type StateFile } from '../state/state-file.ts'

/** Reads `.journal.json`, which is always the user's own, never a repository's. Never throws for what it finds. */
export const readJournal = (disk: Disk, paths: Pick<ScopePaths, 'journal'>): StateFile<Journal> =>
  readStateFile(disk, paths.journal, JOURNAL_FILE, { followLinks: false })

/**
 * Writes the journal, before the first change. No other journal may exist.
 * @throws STATE_*
 */
export const writeJournal = (disk: Disk, paths: ScopePaths, journal: Journal): void => {
  const bytes = Buffer.from(jsonText(journal as unknown as Json))
  // A journal that cannot be read would block every later change.
  parseStateFile(bytes, JOURNAL_FILE)
  replaceFile(disk, paths.journal, bytes, { operation: journal.operation, expect: null, mode: 0o600 })
}

/** Every path is checked, because it is replayed: a journal can name only what a plan may name. */
export const JOURNAL_FILE: StateFileKind<Journal> = {
  name: 'journal of an interrupted operation',
  schema: 1,
  hint: 'nothing can be changed while it exists; if you are sure that you do not need it, move that file away',
  parse: (root) => {
    const made = optional(memberOf(root, 'made'), (at) => itemsOf(at).map(pathOf))
    const formatting = optional(formattingMember(root), (at) => itemsOf(at).map(parseOriginalFormatting))
    const modes = optional(memberOf(root, 'modes'), (at) => itemsOf(at).map(parseMode))
    return {
      schema: 1,
      operation: textOf(memberOf(root, 'operation'), isOperationName, 'name of an operation'),
      command: stringOf(memberOf(root, 'command')),
      scope: textOf(memberOf(root, 'scope'), isScope, 'scope') as Journal['scope'],
      root: pathOf(memberOf(root, 'root')),
      changes: itemsOf(memberOf(root, 'changes')).map(parseChange),
      ...(made === undefined ? {} : { made }),
      ...(formatting === undefined ? {} : { formatting }),
      ...(modes === undefined ? {} : { modes }),
    }
  },
}

/** Older versions called it `spellings`. */
const formattingMember = (root: Member): Member => {
  const member = memberOf(root, 'formatting')
  return member.value === undefined ? memberOf(root, 'spellings') : member
}

const parseChange = (at: Member): Change => {
  const kind = textOf(
    memberOf(at, 'kind'),
    (text) => Object.hasOwn(CHANGE_PARSERS, text),
    'kind of change',
  ) as Change['kind']
  return CHANGE_PARSERS[kind](at)
}

const CHANGE_PARSERS = {
  record: (at) => ({
    kind: 'record',
    store: parseStoreName(memberOf(at, 'store')),
    key: parseKey(memberOf(at, 'key')),
    before: parseJsonValue(memberOf(at, 'before')),
    after: parseJsonValue(memberOf(at, 'after')),
  }),
  swap: (at) => ({
    kind: 'swap',
    target: textOf(memberOf(at, 'target'), isSwapTarget, 'path of a bundle or receipt'),
    from: nullable(memberOf(at, 'from'), (from) => textOf(from, isInnerPath, 'path in the staging folder')),
    replaces: booleanOf(memberOf(at, 'replaces')),
  }),
  host: (at) => ({ kind: 'host', edit: parseEdit(memberOf(at, 'edit')) }),
} satisfies { readonly [K in Change['kind']]: (at: Member) => Extract<Change, { kind: K }> }

/** `capabilities/<id>`, `receipts/<id>.json`, `kept/<id>-<hash>`: no other path is moved or removed. */
export const isSwapTarget = (text: string): boolean => {
  const [, id] =
    /^capabilities\/([^/]+)$/.exec(text) ??
    /^receipts\/([^/]+)\.json$/.exec(text) ??
    /^kept\/([^/]+)-[0-9a-f]{12}$/.exec(text) ??
    []
  return id !== undefined && isCapabilityId(id)
}

const parseEdit = (at: Member): HostEdit => {
  const mode = optional(memberOf(at, 'mode'), numberOf)
  return {
    file: pathOf(memberOf(at, 'file')),
    surface: parseSurface(memberOf(at, 'surface')),
    id: textOf(memberOf(at, 'id'), isCapabilityId, 'capability id'),
    add: itemsOf(memberOf(at, 'add')).map(parseHostEntry),
    remove: itemsOf(memberOf(at, 'remove')).map(parseHostEntry),
    hashBefore: nullable(memberOf(at, 'hashBefore'), parseHash),
    hashAfter: nullable(memberOf(at, 'hashAfter'), parseHash),
    ...(mode === undefined ? {} : { mode }),
    patches: itemsOf(memberOf(at, 'patches')).map(parsePatch),
    recordBefore: nullable(memberOf(at, 'recordBefore'), parseHostRecord),
    recordAfter: nullable(memberOf(at, 'recordAfter'), parseHostRecord),
  }
}

const parsePatch = (at: Member): TextPatch => ({
  offset: numberOf(memberOf(at, 'offset')),
  remove: stringOf(memberOf(at, 'remove')),
  insert: stringOf(memberOf(at, 'insert')),
})

const parseOriginalFormatting = (at: Member): OriginalFormatting => ({
  store: parseStoreName(memberOf(at, 'store')),
  hashAfter: nullable(memberOf(at, 'hashAfter'), parseHash),
  patch: parsePatch(memberOf(at, 'patch')),
})

const parseMode = (at: Member) => ({
  file: pathOf(memberOf(at, 'file')),
  mode: numberOf(memberOf(at, 'mode')) & 0o7777,
})

/** In journals of older versions the grants are named `consent`; they were adopted before such a journal is used. */
const STORE_NAMES = {
  consent: 'grants',
  grants: 'grants',
  hosts: 'hosts',
  state: 'state',
  ledger: 'ledger',
} as const satisfies Record<StoreName | 'consent', StoreName>
const parseStoreName = (at: Member): StoreName =>
  STORE_NAMES[textOf(at, (text) => Object.hasOwn(STORE_NAMES, text), 'name of a store') as keyof typeof STORE_NAMES]

const parseKey = (at: Member): readonly string[] => {
  const keys = itemsOf(at).map((item) => {
    const key = stringOf(item)
    return isForbiddenKey(key) ? rejectMember(item, `is not a valid key: ${quote(key)}`) : key
  })
  return keys.length === 2 ? keys : rejectMember(at, 'is not a pair of keys')
}

/** Any JSON value; the readers of the stores check it when it is in place. */
const parseJsonValue = (at: Member): Json =>
  at.value === undefined ? rejectMember(at, 'is missing') : (at.value as Json)
const isScope = (text: string): boolean => text === 'global' || text === 'project'
const parseHash = (at: Member): string => textOf(at, (text) => /^[0-9a-f]{128}$/.test(text), 'sha512')
