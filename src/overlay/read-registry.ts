import type { HostVersion } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { lazy } from '../lazy.ts'
import { realDisk } from '../platform/disk.ts'
import { type Grants, readFormerGrants, readGrants } from '../state/grants.ts'
import type { ScopePaths, UserPaths } from '../state/scope-paths.ts'
import type { StateFile } from '../state/state-file.ts'
import { cachedBundleFacts, type KnownBundle } from './bundle-facts.ts'
import type { CachedLoad } from './cache/snapshot.ts'
import { StatTracker } from './cache/stat-tracker.ts'
import { readBuiltInSet, readSetInFolder } from './first-party.ts'
import { type LoadedRegistry, composeScopes } from './loaded-registry.ts'
import { createEngineCheck } from './read-overlay.ts'
import { readScope, type ScopeReading, unreadableFileWarnings, readTracked } from './read-scope.ts'

/** What a load depends on. */
export interface LoadRequest {
  readonly user: UserPaths
  /** Each one once, the project first. */
  readonly scopes: readonly ScopePaths[]
  readonly hostVersion: HostVersion
  /** Folder of a first-party set that replaces the built-in one. */
  readonly firstParty: string | null
  /** Cache folder; null: every load reads everything. */
  readonly cache: string | null
  /**
   * Whether the snapshot of another process may be used. Not by what decides about a change: others may be able to write to
   * the cache.
   */
  readonly usesSnapshot: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export interface RegistryReading {
  readonly load: CachedLoad
  /** Scopes in which an operation is running or was interrupted. */
  readonly busyScopes: readonly ScopePaths[]
}

/**
 * Reads everything that is installed and merges it. Never throws for what is on disk; writes nothing.
 *
 * @param before an earlier load; its digests are reused for unchanged bundles
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
  bundles: KnownBundle[],
  before: CachedLoad | null,
): { readonly scopes: ScopeReading[]; readonly warnings: readonly Diagnostic[] } => {
  const consents = lazy(() => readTrackedGrants(tracker, user))
  const factsOf = cachedBundleFacts({ tracker, disk: realDisk, bundles }, before)
  const engines = createEngineCheck(hostVersion)
  const readings = scopes.map((paths) => readScope(paths, { tracker, disk: realDisk, engines, consents, factsOf }))
  // Read even if no overlay needs consent: commands that change something refuse to run while it is unreadable.
  return { scopes: readings, warnings: [...unreadableFileWarnings(consents()), ...formerWarnings(user, consents())] }
}

/** Until `grants.json` exists, those of an earlier version count, so these files are tracked too. */
const readTrackedGrants = (tracker: StatTracker, user: UserPaths): StateFile<Grants> => {
  const read = (): StateFile<Grants> => readGrants(realDisk, user)
  const own = readTracked(tracker, user.grants, read)
  if (own.state !== 'absent' || typeof tracker.lstat(user.grantsAdopted) !== 'string') return own
  return readTracked(tracker, user.formerGrants, read)
}

const formerWarnings = (user: UserPaths, grants: StateFile<Grants>): readonly Diagnostic[] =>
  grants.state === 'absent' ? unreadableFileWarnings(readFormerGrants(realDisk, user)) : []

/** The journal exists from before the first change of an operation until after the last. */
const hasJournal = (tracker: StatTracker, paths: ScopePaths): boolean =>
  typeof tracker.lstat(paths.journal) !== 'string'

export const busyNotice = (paths: ScopePaths): Diagnostic =>
  diagnostic(
    'info',
    'STATE_BUSY',
    `an operation in the ${paths.scope} scope is running or was interrupted; this shows the files as they are now`,
    { scope: paths.scope, file: paths.journal, hint: 'gsd capability doctor' },
  )
