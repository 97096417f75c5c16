import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { SpecKind } from '../spec/spec.ts'
import {
  booleanOf,
  itemsOf,
  type Member,
  memberOf,
  membersOf,
  nullable,
  optional,
  rejectMember,
  sriIn,
  sriOf,
  textIn,
  textOf,
} from './json-member.ts'
import { isObject } from './json-text.ts'
import { isCapabilityId, isInnerPath } from './name-rules.ts'
import { type StateFileKind } from './parse-state-file.ts'
import type { ScopePaths } from './scope-paths.ts'
import { readStateFile, type StateFile } from './state-file.ts'

/** What is installed in a scope; also its lockfile. */
export interface Ledger {
  readonly capabilities: ReadonlyMap<string, LedgerEntry>
}

/** Reads `ledger.json`. Never throws for what it finds. */
export const readLedger = (disk: Disk, paths: ScopePaths): StateFile<Ledger> =>
  readStateFile(disk, paths.ledger, LEDGER_FILE, { followLinks: paths.trusted })

/** Checks every id and path; unknown members are preserved when the ledger is written. */
export const LEDGER_FILE: StateFileKind<Ledger> = {
  name: 'ledger',
  schema: 1,
  hint: 'fix that file, or restore it from version control; nothing can be changed while it cannot be read',
  parse: (root) => ({
    capabilities: new Map(
      optional(memberOf(root, 'capabilities'), (at) =>
        membersOf(at, isCapabilityId, 'capability id').map(([id, entry]) => [id, parseLedgerEntry(entry)] as const),
      ),
    ),
  }),
}

/** Checks each member and returns the value itself: a ledger may have ten thousand entries. */
const parseLedgerEntry = (at: Member): LedgerEntry => {
  textIn(at, 'version', isShort, 'version')
  textIn(at, 'spec', isNotEmpty, 'spec')
  checkResolved(memberOf(at, 'resolved'))
  nullable(memberOf(at, 'integrity'), sriOf)
  sriIn(at, 'digest')
  itemsOf(memberOf(at, 'requires')).forEach(parseId)
  if (optional(memberOf(at, 'auto'), booleanOf) === false) rejectMember(memberOf(at, 'auto'), 'must be true or absent')
  textIn(at, 'surfaces')
  itemsOf(memberOf(at, 'runtimes')).forEach(parseId)
  return at.value as LedgerEntry
}

const checkResolved = (at: Member): void => {
  const kind = textIn(at, 'kind', isSourceKind, 'kind of source')
  for (const key of OPTIONAL_RESOLVED_KEYS) if (isObject(at.value) && Object.hasOwn(at.value, key)) textIn(at, key)
  const path = memberOf(at, 'path')
  if (path.value !== undefined) textOf(path, kind === 'git' ? isInnerPath : isRelative, 'path')
}

const OPTIONAL_RESOLVED_KEYS = ['url', 'commit', 'tag', 'version'] as const

const SOURCE_KINDS = { git: true, npm: true, tarball: true, local: true, catalog: true } as const satisfies Record<
  SpecKind,
  true
>
const isSourceKind = (text: string): boolean => Object.hasOwn(SOURCE_KINDS, text)

const parseId = (at: Member): string => textOf(at, isCapabilityId, 'id')
const isNotEmpty = (text: string): boolean => text !== ''
const isShort = (text: string): boolean => text !== '' && text.length <= 256
/** Relative to the scope root; it may lead upwards. */
const isRelative = (text: string): boolean => text !== '' && !text.startsWith('/')

/** The exact source that a spec resolved to, in a form that resolves again. */
export interface Resolved {
  readonly kind: SpecKind
  readonly url?: string
  readonly commit?: string
  readonly tag?: string
  readonly version?: string
  readonly path?: string
}

/** One capability in `ledger.json`. Portable: no absolute paths, no times (contract, "Files"). */
export interface LedgerEntry {
  readonly version: string
  /** A spec that resolves from any working directory; local ones relative to the real scope root. */
  readonly spec: string
  readonly resolved: Resolved
  /** `sha512-…` of the artifact; null where the source has none. */
  readonly integrity: string | null
  /** `sha512-…` of the bundle tree. */
  readonly digest: string
  readonly requires: readonly string[]
  readonly auto?: true
  /** Signature of the executable surfaces. */
  readonly surfaces: string
  /** Ids of the host runtimes it is wired into, sorted. */
  readonly runtimes: readonly string[]
}

/** The entry of a capability that must be installed. @throws STATE_NOT_INSTALLED with the nearest id */
export const requireLedgerEntry = (
  capabilities: ReadonlyMap<string, LedgerEntry>,
  id: string,
  { scope }: ScopePaths,
): LedgerEntry => {
  const entry = capabilities.get(id)
  if (entry !== undefined) return entry
  const nearest = nearestWord(id, [...capabilities.keys()])
  throw new GsdError('STATE_NOT_INSTALLED', `${quote(id)} is not installed in the ${scope} scope`, {
    hint: nearest === null ? 'gsd capability list' : `did you mean ${nearest}?`,
    details: { id, scope },
  })
}
