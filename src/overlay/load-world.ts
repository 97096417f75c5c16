import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { scopesOf } from '../config/places.ts'
import type { Context, HostVersion } from '../context.ts'
import { lazy } from '../registry/views.ts'
import type { ScopePlaces, UserPlaces } from '../store/places.ts'
import { VERSION } from '../version.ts'
import { builtInWorld, isEmpty } from './built-in-world.ts'
import { linksSame, lookAt, looksSame } from './look.ts'
import { type KeptLoad, readSnapshot, type SnapshotPlace, stillYoung, writeSnapshot } from './snapshot.ts'
import type { World } from './world.ts'

/** What a load is made from. */
export interface LoadRequest {
  readonly user: UserPlaces
  /** Each once, the project first. */
  readonly scopes: readonly ScopePlaces[]
  readonly hostVersion: HostVersion
  /** Folder of another first-party set than the built-in one. */
  readonly firstParty: string | null
  /** Folder for what can be had again; null: every load looks at everything. */
  readonly cache: string | null
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The process ends soon after; default: it is a host's, which goes on. */
  readonly short?: boolean
}

/**
 * Loads what a command sees: both scopes and the first-party set; composed once per command. What can be had again is kept
 * before it returns, since commands end at once.
 */
export const loadWorld = async (
  context: Context,
  options: { readonly firstParty?: string | null } = {},
): Promise<World> => {
  const world = await loadFrom({
    user: context.user,
    scopes: scopesOf(context),
    hostVersion: context.hostVersion,
    firstParty: options.firstParty ?? context.firstParty,
    cache: context.cache,
    now: context.now,
    short: true,
  })
  await keeping
  return world
}

/** How long a reader waits for an operation that is under way before it reads again, once. */
const PATIENCE = 150

/**
 * Everything that is installed, merged. Never throws for what lies on disk, never repairs, never waits for the lock: where
 * an operation is under way it reads again once, and then answers with what it saw and says so (contract, "Precedence").
 * As long as nothing that was looked at looks any different, the answer is that of the last time.
 */
export const loadFrom = async (request: LoadRequest): Promise<World> => {
  const nothing = request.firstParty === null && request.scopes.every(isEmpty) ? builtInWorld() : null
  if (nothing !== null) return nothing
  if (request.cache === null) return (await loadAnew(request, null)).world
  const place: SnapshotPlace = { folder: `${request.cache}/registry`, key: keyOf(request) }
  const known = recent.get(place.key)
  if (known !== undefined && holds(known)) return remember(place, settled(known, request.now())).world
  const kept = readSnapshot(place)
  if (kept !== null && holds(kept)) {
    const load = settled(kept, request.now())
    if (load.sights.young.size < kept.sights.young.size) keep(place, load, basesOf(request))
    return remember(place, load).world
  }
  kept?.close?.()
  const { load, world, running } = await loadAnew(request, known ?? kept)
  if (running) return world
  keep(place, load, basesOf(request))
  return remember(place, load).world
}

const loadAnew = async (
  request: LoadRequest,
  before: KeptLoad | null,
): Promise<{ readonly load: KeptLoad; readonly world: World; readonly running: boolean }> => {
  const { busy, readWorld } = await import('./read-world.ts')
  if (request.short === true) {
    const { hurry } = await import('./hurry.ts')
    hurry(request.scopes)
  }
  const first = readWorld(request, before)
  if (first.running.length === 0) return { load: first.load, world: first.load.world, running: false }
  await sleep(PATIENCE)
  const { load, running } = readWorld(request, first.load)
  const world = { ...load.world, warnings: [...load.world.warnings, ...running.map(busy)] }
  return { load, world, running: running.length > 0 }
}

/** Snapshots on their way to the cache, one behind the other, so that the latest is what stays. */
let keeping: Promise<void> = Promise.resolve()

const keep = (place: SnapshotPlace, load: KeptLoad, bases: readonly string[]): void => {
  keeping = keeping.then(() => writeSnapshot(place, load, bases))
}

/** Forgets what this process has loaded, and waits for what it keeps: what comes next is as in a new process. */
export const forgetLoads = async (): Promise<void> => {
  recent.clear()
  await keeping
}

/** Loads of this process, the latest last. */
const recent = new Map<string, KeptLoad>()
const MOST_RECENT = 4

const remember = ({ key }: SnapshotPlace, load: KeptLoad): KeptLoad => {
  recent.delete(key)
  recent.set(key, load)
  for (const oldest of recent.keys()) {
    if (recent.size <= MOST_RECENT) break
    recent.delete(oldest)
  }
  return load
}

const holds = ({ sights }: KeptLoad): boolean => looksSame(sights) && linksSame(sights)

/** What held what it had held when it was young, and is not young any more, can be judged by its stats from now on. */
const settled = (load: KeptLoad, now: number): KeptLoad =>
  load.sights.young.size === 0 ? load : { ...load, sights: { ...sightsOf(load), young: stillYoung(load.sights, now) } }

const sightsOf = ({ sights: { paths, marks, links } }: KeptLoad) => ({ paths, marks, links })

/** Another build of one version is another program. */
const build = lazy((): readonly number[] => {
  const look = lookAt(fileURLToPath(import.meta.url))
  return typeof look === 'string' ? [] : [look.ino, look.size, look.mtimeMs]
})

/** Everything a load depends on beside the disk. */
const keyOf = ({ user, scopes, hostVersion, firstParty }: LoadRequest): string =>
  JSON.stringify([
    VERSION,
    build(),
    user.gsd,
    scopes.map(({ scope, realRoot, private: own, trusted }) => [scope, realRoot, own, trusted]),
    [hostVersion.version, hostVersion.from],
    firstParty,
  ])

/** Folders below which most of what is looked at lies. */
const basesOf = ({ scopes, firstParty }: LoadRequest): string[] => [
  ...scopes.map(({ capabilities }) => capabilities),
  ...(firstParty === null ? [] : [firstParty]),
]
