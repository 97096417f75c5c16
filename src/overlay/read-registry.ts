import type { HostVersion } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { realDisk } from '../platform/real-disk.ts'
import { readConsentStore } from '../state/consent-store.ts'
import type { ScopePaths, UserPaths } from '../state/scope-paths.ts'
import { cachedBundleFacts, type KnownBundle } from './bundle-facts.ts'
import type { CachedLoad } from './cache/snapshot.ts'
import { StatTracker } from './cache/stat-tracker.ts'
import { readBuiltInSet, readSetInFolder } from './first-party.ts'
import { type LoadedRegistry, composeScopes } from './loaded-registry.ts'
import { readScope, type ScopeReading, unreadableFileWarnings, readTracked } from './read-scope.ts'

/** What a load is made from. */
export interface LoadRequest {
  readonly user: UserPaths
  /** Each once, the project first. */
  readonly scopes: readonly ScopePaths[]
  readonly hostVersion: HostVersion
  /** Folder of another first-party set than the built-in one. */
  readonly firstParty: string | null
  /** Folder for what can be had again; null: every load looks at everything. */
  readonly cache: string | null
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The process ends soon after; default: it is a host's, which goes on. */
  readonly processEndsSoon?: boolean
}

export interface RegistryReading {
  readonly load: CachedLoad
  /** Scopes on which an operation is under way, or was interrupted. */
  readonly busyScopes: readonly ScopePaths[]
}

/**
 * Reads everything that is installed and merges it, from the disk alone. Never throws for what lies there, writes nothing.
 *
 * @param before an earlier load, whose digests are taken where nothing changed
 */
export const readRegistry = (request: LoadRequest, before: CachedLoad | null): RegistryReading => {
  const tracker = new StatTracker(request.now())
  const busyScopes = request.scopes.filter((paths) => hasJournal(tracker, paths))
  const firstParty =
    request.firstParty === null
      ? readBuiltInSet(tracker)
      : readSetInFolder(tracker, request.firstParty, request.hostVersion)
  const bundles: KnownBundle[] = []
  const { scopes, warnings } = readScopes(tracker, request, bundles, before)
  const merged = composeScopes(firstParty, scopes)
  const loaded: LoadedRegistry =
    warnings.length === 0 ? merged : { ...merged, warnings: [...warnings, ...merged.warnings] }
  return { load: { loaded, stats: tracker, bundles }, busyScopes }
}

const readScopes = (
  tracker: StatTracker,
  { user, scopes, hostVersion }: LoadRequest,
  trees: KnownBundle[],
  before: CachedLoad | null,
): { readonly scopes: ScopeReading[]; readonly warnings: readonly Diagnostic[] } => {
  const consents = once(() => readTracked(tracker, user.consent, () => readConsentStore(realDisk, user)))
  const factsOf = cachedBundleFacts({ tracker, disk: realDisk, bundles: trees }, before)
  const readings = scopes.map((paths) => readScope(paths, { tracker, disk: realDisk, hostVersion, consents, factsOf }))
  // Looked at although nothing may ask for it: changes are refused while it cannot be read.
  return { scopes: readings, warnings: unreadableFileWarnings(consents()) }
}

/** The journal stands from before an operation's first change until after its last. */
const hasJournal = (tracker: StatTracker, paths: ScopePaths): boolean =>
  typeof tracker.lstat(paths.journal) !== 'string'

export const busyNotice = (paths: ScopePaths): Diagnostic =>
  diagnostic(
    'info',
    'STATE_BUSY',
    `an operation on the ${paths.scope} scope is under way or was interrupted; this is what was there meanwhile`,
    { scope: paths.scope, file: paths.journal, hint: 'gsd capability doctor' },
  )

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}
