import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Context, HostVersion } from '../context.ts'
import { lazy } from '../registry/views.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths, UserPaths } from '../state/scope-paths.ts'
import { VERSION } from '../version.ts'
import { builtInRegistry, isEmptyScope } from './cache/built-in-registry.ts'
import { linksUnchanged, lstatOrErrno, stampsUnchanged } from './cache/file-stamp.ts'
import { type CachedLoad, readSnapshot, type SnapshotLocation, stillRecent, writeSnapshot } from './cache/snapshot.ts'
import type { LoadedRegistry } from './loaded-registry.ts'
import type { LoadRequest } from './read-registry.ts'

/**
 * Loads what a command sees: both scopes and the first-party set; composed once per command. What can be had again is kept
 * before it returns, since commands end at once.
 */
export const loadRegistryFor = async (
  context: Context,
  options: { readonly firstParty?: string | null } = {},
): Promise<LoadedRegistry> => {
  const world = await loadFromRequest({
    user: context.user,
    scopes: scopesOf(context),
    hostVersion: context.hostVersion,
    firstParty: options.firstParty ?? context.firstParty,
    cache: context.cache,
    now: context.now,
    processEndsSoon: true,
  })
  await pendingWrites
  return world
}

/** How long a reader waits for an operation that is under way before it reads again, once. */
const RETRY_DELAY_MS = 150

/**
 * Everything that is installed, merged. Never throws for what lies on disk, never repairs, never waits for the lock: where
 * an operation is under way it reads again once, and then answers with what it saw and says so (contract, "Precedence").
 * As long as nothing that was looked at looks any different, the answer is that of the last time.
 */
export const loadFromRequest = async (request: LoadRequest): Promise<LoadedRegistry> => {
  const nothing = request.firstParty === null && request.scopes.every(isEmptyScope) ? builtInRegistry() : null
  if (nothing !== null) return nothing
  if (request.cache === null) return (await loadUncached(request, null)).world
  const place: SnapshotLocation = { folder: `${request.cache}/registry`, key: loadKey(request) }
  const known = recentLoads.get(place.key)
  if (known !== undefined && isUnchanged(known))
    return addRecentLoad(place, dropOlderChanges(known, request.now())).loaded
  const kept = readSnapshot(place)
  if (kept !== null && isUnchanged(kept)) {
    const load = dropOlderChanges(kept, request.now())
    if (load.stats.recentlyChanged.size < kept.stats.recentlyChanged.size)
      queueSnapshotWrite(place, load, baseFolders(request))
    return addRecentLoad(place, load).loaded
  }
  kept?.close?.()
  const { load, world, running } = await loadUncached(request, known ?? kept)
  if (running) return world
  queueSnapshotWrite(place, load, baseFolders(request))
  return addRecentLoad(place, load).loaded
}

const loadUncached = async (
  request: LoadRequest,
  before: CachedLoad | null,
): Promise<{ readonly load: CachedLoad; readonly world: LoadedRegistry; readonly running: boolean }> => {
  const { busyNotice: busy, readRegistry: readWorld } = await import('./read-registry.ts')
  if (request.processEndsSoon === true) {
    const { disableJitForLargeLoads: hurry } = await import('./disable-jit.ts')
    hurry(request.scopes)
  }
  const first = readWorld(request, before)
  if (first.busyScopes.length === 0) return { load: first.load, world: first.load.loaded, running: false }
  await sleep(RETRY_DELAY_MS)
  const { load, busyScopes } = readWorld(request, first.load)
  const world = { ...load.loaded, warnings: [...load.loaded.warnings, ...busyScopes.map(busy)] }
  return { load, world, running: busyScopes.length > 0 }
}

/** Snapshots on their way to the cache, one behind the other, so that the latest is what stays. */
let pendingWrites: Promise<void> = Promise.resolve()

const queueSnapshotWrite = (place: SnapshotLocation, load: CachedLoad, bases: readonly string[]): void => {
  pendingWrites = pendingWrites.then(() => writeSnapshot(place, load, bases))
}

/** Forgets what this process has loaded, and waits for what it keeps: what comes next is as in a new process. */
export const clearRecentLoads = async (): Promise<void> => {
  recentLoads.clear()
  await pendingWrites
}

/** Loads of this process, the latest last. */
const recentLoads = new Map<string, CachedLoad>()
const MAX_RECENT_LOADS = 4

const addRecentLoad = ({ key }: SnapshotLocation, load: CachedLoad): CachedLoad => {
  recentLoads.delete(key)
  recentLoads.set(key, load)
  for (const oldest of recentLoads.keys()) {
    if (recentLoads.size <= MAX_RECENT_LOADS) break
    recentLoads.delete(oldest)
  }
  return load
}

const isUnchanged = ({ stats }: CachedLoad): boolean => stampsUnchanged(stats) && linksUnchanged(stats)

/** What held what it had held when it was young, and is not young any more, can be judged by its stats from now on. */
const dropOlderChanges = (load: CachedLoad, now: number): CachedLoad =>
  load.stats.recentlyChanged.size === 0
    ? load
    : { ...load, stats: { ...copyStats(load), recentlyChanged: stillRecent(load.stats, now) } }

const copyStats = ({ stats: { paths, stamps, links } }: CachedLoad) => ({ paths, stamps, links })

/** Another build of one version is another program. */
const buildStamp = lazy((): readonly number[] => {
  const stat = lstatOrErrno(fileURLToPath(import.meta.url))
  return typeof stat === 'string' ? [] : [stat.ino, stat.size, stat.mtimeMs]
})

/** Everything a load depends on beside the disk. */
const loadKey = ({ user, scopes, hostVersion, firstParty }: LoadRequest): string =>
  JSON.stringify([
    VERSION,
    buildStamp(),
    user.gsd,
    scopes.map(({ scope, realRoot, private: own, trusted }) => [scope, realRoot, own, trusted]),
    [hostVersion.version, hostVersion.from],
    firstParty,
  ])

/** Folders below which most of what is looked at lies. */
const baseFolders = ({ scopes, firstParty }: LoadRequest): string[] => [
  ...scopes.map(({ capabilities }) => capabilities),
  ...(firstParty === null ? [] : [firstParty]),
]
