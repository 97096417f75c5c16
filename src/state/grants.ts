import type { ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import type { Disk } from '../platform/disk.ts'
import { pathExists } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import {
  itemsOf,
  memberOf,
  membersOf,
  rejectMember,
  nullable,
  optional,
  pathOf,
  sriOf,
  textOf,
  type Member,
} from './json-member.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { isCapabilityId, isInnerPath } from './name-rules.ts'
import { type StateFileKind } from './parse-state-file.ts'
import type { ScopePaths, UserPaths } from './scope-paths.ts'
import { readStateFile, type StateFile } from './state-file.ts'

/** One consent of the user (security page, "Disclosure and consent"). */
export interface ConsentRecord {
  readonly scope: ScopeName
  /** Real path of the project; null for the global scope. */
  readonly project: string | null
  readonly id: string
  readonly version: string
  /** Of the bundle tree. */
  readonly digest: string
  /** Signature of the executable surfaces. */
  readonly surfaces: string
  /** Path → {@link fileFingerprint}: names what changed; the digest decides whether anything did. */
  readonly files: Readonly<Record<string, string>>
  /** The executable surfaces as they were shown, without secrets: the base for a later comparison. */
  readonly shown?: readonly JsonObject[]
  /** Fingerprint of the manifest without its descriptive members. */
  readonly core?: string
  /** Reviewer lane → host that its plans were sent to, by the configuration at that time; null: none yet. */
  readonly hosts?: Readonly<Record<string, string | null>>
  /** ISO 8601, UTC. */
  readonly granted: string
}

/** What the user granted, by {@link consentKey}. */
export interface Grants {
  readonly byKey: ReadonlyMap<string, ConsentRecord>
}

/** Reads `grants.json`. Until it exists, the grants of an earlier version count. Never throws for what it finds. */
export const readGrants = (disk: Disk, user: UserPaths): StateFile<Grants> => {
  const own = readStateFile(disk, user.grants, GRANTS_FILE, { followLinks: true, ownerOnly: true })
  if (own.state !== 'absent') return own
  const former = readFormerGrants(disk, user)
  return former.state === 'ok' ? former : own
}

/**
 * Reads the grants that an earlier version kept in `consent.json`, recognised by their shape. Absent where there are none,
 * where they were adopted, and where the file has the shape of GSD Core.
 */
export const readFormerGrants = (
  disk: Disk,
  user: Pick<UserPaths, 'formerGrants' | 'grantsAdopted'>,
): StateFile<Grants> => {
  const file = user.formerGrants
  if (!existsQuietly(disk, file) || existsQuietly(disk, user.grantsAdopted)) return { state: 'absent' }
  const found = readStateFile(disk, file, GRANTS_FILE, { followLinks: true, ownerOnly: true })
  if (found.state === 'absent') return found
  const isOurs = found.state === 'ok' && Object.keys(found.json).toSorted().join() === 'grants,schema'
  if (isOurs) return found
  if (hasForeignShape(disk, file)) return { state: 'absent' }
  const text = `${quote(file)} is not read: an earlier version kept your consents there, and it does not hold only them`
  const hint = 'gsd capability trust grant --all: asks for them again'
  return { state: 'unreadable', diagnostic: diagnostic('warning', 'CONSENT_MISSING', text, { file, hint }) }
}

/** A JSON object without a `grants` object is nothing that this program wrote. */
const hasForeignShape = (disk: Disk, file: string): boolean => {
  try {
    if (!disk.statSync(file).isFile()) return false
    const json: unknown = JSON.parse(disk.readFileSync(file).toString())
    return isObject(json) && !isObject(json['grants'])
  } catch {
    return false
  }
}

const existsQuietly = (disk: Disk, file: string): boolean => {
  try {
    return pathExists(disk, file)
  } catch {
    return false
  }
}

/** What a consent in this scope is bound to. A global root that may come from a repository is treated like a project. */
export const consentSubject = ({
  trusted,
  realRoot,
}: ScopePaths): { readonly scope: ScopeName; readonly project: string | null } =>
  trusted ? { scope: 'global', project: null } : { scope: 'project', project: realRoot }

/** The key of a record: `<id>@global` or `<id>@/real/path/of/the/project`. */
export const consentKey = (scope: ScopeName, project: string | null, id: string): string =>
  `${id}@${scope === 'global' ? 'global' : (project ?? '')}`

/** The same for a capability in a scope. */
export const scopeConsentKey = (paths: ScopePaths, id: string): string => {
  const { scope, project } = consentSubject(paths)
  return consentKey(scope, project, id)
}

/** A short form of a file's hash and mode, to name the files that changed. */
export const fileFingerprint = (file: { readonly sha512: string; readonly executable: boolean }): string =>
  `${file.executable ? 'x' : '-'}${file.sha512.slice(0, 24)}`

/** What a consent is given to. */
export interface ConsentTarget {
  readonly manifest: { readonly id: string; readonly version: string }
  readonly digest: string
  readonly signature: string
  readonly files: readonly { readonly path: string; readonly sha512: string; readonly executable: boolean }[]
  readonly shown: readonly JsonObject[]
  readonly core: string
  readonly hosts: Readonly<Record<string, string | null>>
}

/** The record of a consent given now; the earlier record if the content is the same. */
export const consentRecordOf = (
  subject: ReturnType<typeof consentSubject>,
  { manifest, digest, signature, files, shown, core, hosts }: ConsentTarget,
  before: ConsentRecord | null,
  now: Date,
): ConsentRecord =>
  before?.digest === digest && before.surfaces === signature
    ? before
    : {
        ...subject,
        id: manifest.id,
        version: manifest.version,
        digest,
        surfaces: signature,
        files: Object.fromEntries(files.map((file) => [file.path, fileFingerprint(file)])),
        shown,
        core,
        ...(Object.keys(hosts).length === 0 ? {} : { hosts }),
        granted: now.toISOString(),
      }

export const GRANTS_FILE: StateFileKind<Grants> = {
  name: 'record of your consents',
  schema: 1,
  hint: 'fix that file, or move it away and grant again: gsd capability trust grant --all',
  parse: (root) => ({
    byKey: new Map(
      optional(memberOf(root, 'grants'), (at) =>
        membersOf(at, () => true, 'key').map(([key, member]) => [key, parseConsentRecord(key, member)] as const),
      ),
    ),
  }),
}

/** Leaves the member out when it has no value, so that a record is read as it was written. */
const optionalMember = <K extends string, T>(key: K, value: T | undefined): { readonly [key in K]?: T } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: T })

const parseObject = (at: Member): JsonObject => (isObject(at.value) ? at.value : rejectMember(at, 'is not an object'))

const parseHosts = (at: Member): Readonly<Record<string, string | null>> =>
  Object.fromEntries(membersOf(at, () => true, 'key').map(([slug, host]) => [slug, nullable(host, textOf)]))

const parseConsentRecord = (key: string, at: Member): ConsentRecord => {
  const scope = textOf(memberOf(at, 'scope'), (text) => text === 'global' || text === 'project', 'scope') as ScopeName
  const record = {
    scope,
    project: nullable(memberOf(at, 'project'), pathOf),
    id: textOf(memberOf(at, 'id'), isCapabilityId, 'capability id'),
    version: textOf(memberOf(at, 'version')),
    digest: sriOf(memberOf(at, 'digest')),
    surfaces: textOf(memberOf(at, 'surfaces')),
    files: Object.fromEntries(
      membersOf(memberOf(at, 'files'), isInnerPath, 'path in a bundle').map(([path, fingerprint]) => [
        path,
        textOf(fingerprint),
      ]),
    ),
    ...optionalMember(
      'shown',
      optional(memberOf(at, 'shown'), (list) => itemsOf(list).map(parseObject)),
    ),
    ...optionalMember('core', optional(memberOf(at, 'core'), textOf)),
    ...optionalMember('hosts', optional(memberOf(at, 'hosts'), parseHosts)),
    granted: textOf(memberOf(at, 'granted')),
  }
  const isOwn =
    (scope === 'global') === (record.project === null) && key === consentKey(scope, record.project, record.id)
  return isOwn ? record : rejectMember(at, 'does not match its key')
}
