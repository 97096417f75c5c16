import { setTimeout as sleep } from 'node:timers/promises'
import { scopesOf } from '../config/places.ts'
import type { Context, HostVersion } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { readConsent } from '../store/consent.ts'
import type { ScopePlaces, UserPlaces } from '../store/places.ts'
import { realDisk } from '../store/real-disk.ts'
import { builtInSet, setInFolder } from './first-party.ts'
import { readScope, type ScopeReading, unreadable, witnessed } from './read-scope.ts'
import { treeFacts } from './tree-facts.ts'
import { Witness } from './witness.ts'
import { type World, worldOf } from './world.ts'

/** What a load is made from. */
export interface LoadRequest {
  readonly user: UserPlaces
  /** Each once, the project first. */
  readonly scopes: readonly ScopePlaces[]
  readonly hostVersion: HostVersion
  /** Folder of another first-party set than the built-in one. */
  readonly firstParty: string | null
}

/** Loads what a command sees: both scopes, or one of them; composed once per command. */
export const loadWorld = (context: Context, options: { readonly firstParty?: string | null } = {}): Promise<World> =>
  loadFrom({
    user: context.user,
    scopes: scopesOf(context),
    hostVersion: context.hostVersion,
    firstParty: options.firstParty ?? null,
  })

/** How long a reader waits for an operation that is under way before it reads again, once. */
const PATIENCE = 150

/**
 * Reads everything that is installed and merges it. Never throws for what lies on disk, never repairs, never waits for
 * the lock: where an operation is under way it reads again once, and then answers with what it saw and says so
 * (contract, "Precedence").
 */
export const loadFrom = async (request: LoadRequest): Promise<World> => {
  const first = readWorld(request)
  if (first.running.length === 0) return first.world
  await sleep(PATIENCE)
  const second = readWorld(request)
  return { ...second.world, warnings: [...second.world.warnings, ...second.running.map(busy)] }
}

const readWorld = (request: LoadRequest): { readonly world: World; readonly running: readonly ScopePlaces[] } => {
  const witness = new Witness(Date.now())
  const firstParty =
    request.firstParty === null ? builtInSet() : setInFolder(witness, request.firstParty, request.hostVersion)
  const running = request.scopes.filter((places) => isRunning(witness, places))
  const { scopes, warnings } = readScopes(witness, request)
  const world = worldOf(firstParty, scopes)
  return { world: { ...world, warnings: [...warnings, ...world.warnings] }, running }
}

const readScopes = (
  witness: Witness,
  { user, scopes, hostVersion }: LoadRequest,
): { scopes: ScopeReading[]; warnings: Diagnostic[] } => {
  const consents = once(() => witnessed(witness, user.consent, () => readConsent(realDisk, user)))
  const warnings: Diagnostic[] = []
  const options = {
    witness,
    disk: realDisk,
    hostVersion,
    consents: consents.get,
    factsOf: (dir, manifest) => treeFacts(realDisk, dir, manifest),
  } satisfies Parameters<typeof readScope>[1]
  const readings = scopes.map((places) => readScope(places, options))
  const seen = consents.peek()
  if (seen !== null) warnings.push(...unreadable(seen))
  return { scopes: readings, warnings }
}

/** The journal stands from before an operation's first change until after its last. */
const isRunning = (witness: Witness, places: ScopePlaces): boolean => typeof witness.lstat(places.journal) !== 'string'

const busy = (places: ScopePlaces): Diagnostic =>
  diagnostic(
    'info',
    'STATE_BUSY',
    `an operation on the ${places.scope} scope is under way or was interrupted; this is what was there meanwhile`,
    {
      scope: places.scope,
      file: places.journal,
      hint: 'gsd capability doctor',
    },
  )

const once = <T>(make: () => T): { readonly get: () => T; readonly peek: () => T | null } => {
  let made: { readonly value: T } | null = null
  return {
    get: () => (made ??= { value: make() }).value,
    peek: () => made?.value ?? null,
  }
}
