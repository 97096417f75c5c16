import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Context } from '../context.ts'
import type { ProcessMemory } from '../process-memory.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import { VERSION } from '../version.ts'
import { isEmptyScope, readBuiltInRegistry } from './cache/built-in-registry.ts'
import { linksUnchanged, lstatOrErrno, stampsUnchanged } from './cache/file-stamp.ts'
import { createRecentLoads } from './cache/recent-loads.ts'
import { type CachedLoad, readSnapshot, withoutOlderChanges, writeSnapshot } from './cache/snapshot.ts'
import type { LoadedRegistry } from './loaded-registry.ts'
import type { LoadRequest } from './read-registry.ts'

/**
 * Loads what a command sees: both scopes and the first-party set. Waits until the snapshot for the next process is written,
 * because a command ends right after.
 */
export const loadRegistryFor = async (
  context: Context,
  options: { readonly firstParty?: string | null; readonly usesSnapshot?: boolean } = {},
): Promise<LoadedRegistry> => {
  const loaded = await loadFromRequest(
    {
      user: context.user,
      scopes: scopesOf(context),
      hostVersion: context.hostVersion,
      firstParty: options.firstParty ?? context.firstParty,
      cache: context.cache,
      usesSnapshot: options.usesSnapshot ?? false,
      now: context.now,
    },
    context.memory,
  )
  await context.memory.once(createRecentLoads).written
  return loaded
}

/** How long a reader waits for an operation that is running before it reads again, once. */
const RETRY_DELAY_MS = 150

/**
 * Everything that is installed, merged. Never throws for what is on disk, never repairs, never waits for the lock: while an
 * operation is running it reads again once, then returns what it read with a warning (contract, "Precedence"). While every
 * tracked file is unchanged, the result is that of the last load.
 */
export const loadFromRequest = async (request: LoadRequest, memory: ProcessMemory): Promise<LoadedRegistry> => {
  if (request.firstParty === null && request.scopes.every(isEmptyScope)) {
    const builtIn = memory.once(readBuiltInRegistry)
    if (builtIn !== null) return builtIn
  }
  if (request.cache === null) return (await loadUncached(request, null)).loaded
  const recent = memory.once(createRecentLoads)
  const key = loadKey(request, memory.once(readBuildStamp))
  const location = { folder: `${request.cache}/registry`, key }
  const known = recent.get(key)
  if (known !== undefined && isUnchanged(known)) {
    recent.add(key, withoutOlderChanges(known, request.now()))
    return known.loaded
  }
  const snapshot = request.usesSnapshot ? readSnapshot(location) : null
  if (snapshot !== null && isUnchanged(snapshot)) {
    const load = withoutOlderChanges(snapshot, request.now())
    if (load !== snapshot) recent.queueWrite(() => writeSnapshot(location, load, baseFolders(request)))
    recent.add(key, load)
    return load.loaded
  }
  snapshot?.close?.()
  const { load, loaded, isBusy } = await loadUncached(request, known ?? snapshot)
  if (isBusy) return loaded
  recent.queueWrite(() => writeSnapshot(location, load, baseFolders(request)))
  recent.add(key, load)
  return loaded
}

const loadUncached = async (
  request: LoadRequest,
  before: CachedLoad | null,
): Promise<{ readonly load: CachedLoad; readonly loaded: LoadedRegistry; readonly isBusy: boolean }> => {
  const { busyNotice, readRegistry } = await import('./read-registry.ts')
  const first = readRegistry(request, before)
  if (first.busyScopes.length === 0) return { load: first.load, loaded: first.load.loaded, isBusy: false }
  await sleep(RETRY_DELAY_MS)
  const { load, busyScopes } = readRegistry(request, first.load)
  const loaded = { ...load.loaded, warnings: [...load.loaded.warnings, ...busyScopes.map(busyNotice)] }
  return { load, loaded, isBusy: busyScopes.length > 0 }
}

const isUnchanged = ({ stats }: CachedLoad): boolean => stampsUnchanged(stats) && linksUnchanged(stats)

/** Tells two builds of one version apart. */
const readBuildStamp = (): readonly number[] => {
  const stat = lstatOrErrno(fileURLToPath(import.meta.url))
  return typeof stat === 'string' ? [] : [stat.ino, stat.size, stat.mtimeMs]
}

/**
 * When the user's home was created, to a fraction of a millisecond. A snapshot without it is not used, so one that comes
 * with a repository or a shared cache is not: its author does not know it.
 */
const folderStamp = (folder: string): readonly number[] => {
  const stat = lstatOrErrno(folder)
  return typeof stat === 'string' ? [] : [stat.dev, stat.ino, stat.birthtimeMs]
}

/** Everything a load depends on besides the disk. */
const loadKey = (
  { user, scopes, hostVersion, firstParty }: LoadRequest,
  buildStamp: ReturnType<typeof readBuildStamp>,
): string =>
  JSON.stringify([
    VERSION,
    buildStamp,
    folderStamp(dirname(user.gsd)),
    user.gsd,
    scopes.map(({ scope, realRoot, private: privateFolder, trusted }) => [scope, realRoot, privateFolder, trusted]),
    [hostVersion.version, hostVersion.from],
    firstParty,
  ])

/** The folders that hold most of the tracked files. */
const baseFolders = ({ scopes, firstParty }: LoadRequest): string[] => [
  ...scopes.map(({ capabilities }) => capabilities),
  ...(firstParty === null ? [] : [firstParty]),
]
