import type { ScopeName } from '../diagnostic.ts'
import type { Disk } from './disk.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { isCapabilityId, isInnerPath } from './names.ts'
import type { ScopePlaces, UserPlaces } from './places.ts'
import {
  itemsOf,
  memberOf,
  membersOf,
  misshapen,
  nullable,
  optional,
  pathOf,
  sriOf,
  textOf,
  type Member,
} from './shape.ts'
import { readStoreFile, type Kind, type StoreFile } from './store-file.ts'

/** What the user agreed to, once (security page, "Disclosure and consent"). */
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
  /** Path → mark of the file, see {@link fileMark}: only to name what changed, never to decide whether something did. */
  readonly files: Readonly<Record<string, string>>
  /** The executable surfaces as they were shown, secrets hidden: only to show how others differ. */
  readonly shown?: readonly JsonObject[]
  /** Mark of the manifest without what only describes the capability. */
  readonly core?: string
  /** Reviewer lane → host its plans went to by the configuration of then; null: to none yet. */
  readonly hosts?: Readonly<Record<string, string | null>>
  /** ISO 8601, UTC. */
  readonly granted: string
}

/** The user's consent store, by {@link consentKey}. */
export interface Consents {
  readonly grants: ReadonlyMap<string, ConsentRecord>
}

/** Reads `consent.json`. Never throws for what it finds. */
export const readConsent = (disk: Disk, user: UserPlaces): StoreFile<Consents> =>
  readStoreFile(disk, user.consent, CONSENT, { links: true, own: true })

/**
 * What a consent in these places is bound to. A global root that may come from a repository is bound like a project.
 */
export const consentSubject = ({
  trusted,
  realRoot,
}: ScopePlaces): { readonly scope: ScopeName; readonly project: string | null } =>
  trusted ? { scope: 'global', project: null } : { scope: 'project', project: realRoot }

/** Where the record of one capability in one place is kept: `<id>@global`, `<id>@/real/path/of/the/project`. */
export const consentKey = (scope: ScopeName, project: string | null, id: string): string =>
  `${id}@${scope === 'global' ? 'global' : (project ?? '')}`

/** The same for a capability in these places. */
export const grantKey = (places: ScopePlaces, id: string): string => {
  const { scope, project } = consentSubject(places)
  return consentKey(scope, project, id)
}

/** A short stand-in for a file's hash and mode. The digest is what binds; this only says which file is another one now. */
export const fileMark = (file: { readonly sha512: string; readonly executable: boolean }): string =>
  `${file.executable ? 'x' : '-'}${file.sha512.slice(0, 24)}`

/** What a consent is given to. */
export interface Consentable {
  readonly manifest: { readonly id: string; readonly version: string }
  readonly digest: string
  readonly signature: string
  readonly files: readonly { readonly path: string; readonly sha512: string; readonly executable: boolean }[]
  readonly shown: readonly JsonObject[]
  readonly core: string
  readonly hosts: Readonly<Record<string, string | null>>
}

/** A record of consent given now; the one of before where it was given to the very same. */
export const consentRecordOf = (
  subject: ReturnType<typeof consentSubject>,
  { manifest, digest, signature, files, shown, core, hosts }: Consentable,
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
        files: Object.fromEntries(files.map((file) => [file.path, fileMark(file)])),
        shown,
        core,
        ...(Object.keys(hosts).length === 0 ? {} : { hosts }),
        granted: now.toISOString(),
      }

export const CONSENT: Kind<Consents> = {
  name: 'consent store',
  schema: 1,
  hint: 'mend that file, or move it away and grant again with gsd capability trust grant <id>',
  read: (root) => ({
    grants: new Map(
      optional(memberOf(root, 'grants'), (at) =>
        membersOf(at, () => true, 'key').map(([key, member]) => [key, recordOf(key, member)] as const),
      ),
    ),
  }),
}

/** Only where there is a value, so that a record reads back as it was written. */
const present = <K extends string, T>(key: K, value: T | undefined): { readonly [key in K]?: T } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: T })

const objectOf = (at: Member): JsonObject => (isObject(at.value) ? at.value : misshapen(at, 'is not an object'))

const hostsOf = (at: Member): Readonly<Record<string, string | null>> =>
  Object.fromEntries(membersOf(at, () => true, 'key').map(([slug, host]) => [slug, nullable(host, textOf)]))

const recordOf = (key: string, at: Member): ConsentRecord => {
  const scope = textOf(memberOf(at, 'scope'), (text) => text === 'global' || text === 'project', 'scope') as ScopeName
  const record = {
    scope,
    project: nullable(memberOf(at, 'project'), pathOf),
    id: textOf(memberOf(at, 'id'), isCapabilityId, 'capability id'),
    version: textOf(memberOf(at, 'version')),
    digest: sriOf(memberOf(at, 'digest')),
    surfaces: textOf(memberOf(at, 'surfaces')),
    files: Object.fromEntries(
      membersOf(memberOf(at, 'files'), isInnerPath, 'path in a bundle').map(([path, mark]) => [path, textOf(mark)]),
    ),
    ...present(
      'shown',
      optional(memberOf(at, 'shown'), (list) => itemsOf(list).map(objectOf)),
    ),
    ...present('core', optional(memberOf(at, 'core'), textOf)),
    ...present('hosts', optional(memberOf(at, 'hosts'), hostsOf)),
    granted: textOf(memberOf(at, 'granted')),
  }
  const isOwn =
    (scope === 'global') === (record.project === null) && key === consentKey(scope, record.project, record.id)
  return isOwn ? record : misshapen(at, 'holds a record of something else than its key says')
}
