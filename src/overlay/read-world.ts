import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { readConsent } from '../store/consent.ts'
import type { ScopePlaces } from '../store/places.ts'
import { realDisk } from '../store/real-disk.ts'
import { builtInSet, setInFolder } from './first-party.ts'
import type { LoadRequest } from './load-world.ts'
import { readScope, type ScopeReading, unreadable, witnessed } from './read-scope.ts'
import type { KeptLoad } from './snapshot.ts'
import { knownTreeFacts, type Tree } from './tree-facts.ts'
import { Witness } from './witness.ts'
import { type World, worldOf } from './world.ts'

export interface WorldReading {
  readonly load: KeptLoad
  /** Scopes on which an operation is under way, or was interrupted. */
  readonly running: readonly ScopePlaces[]
}

/**
 * Reads everything that is installed and merges it, from the disk alone. Never throws for what lies there, writes nothing.
 *
 * @param before an earlier load, whose digests are taken where nothing changed
 */
export const readWorld = (request: LoadRequest, before: KeptLoad | null): WorldReading => {
  const witness = new Witness(request.now())
  const running = request.scopes.filter((places) => isRunning(witness, places))
  const firstParty =
    request.firstParty === null ? builtInSet(witness) : setInFolder(witness, request.firstParty, request.hostVersion)
  const trees: Tree[] = []
  const { scopes, warnings } = readScopes(witness, request, trees, before)
  const merged = worldOf(firstParty, scopes)
  const world: World = warnings.length === 0 ? merged : { ...merged, warnings: [...warnings, ...merged.warnings] }
  return { load: { world, sights: witness, trees }, running }
}

const readScopes = (
  witness: Witness,
  { user, scopes, hostVersion }: LoadRequest,
  trees: Tree[],
  before: KeptLoad | null,
): { readonly scopes: ScopeReading[]; readonly warnings: readonly Diagnostic[] } => {
  const consents = once(() => witnessed(witness, user.consent, () => readConsent(realDisk, user)))
  const factsOf = knownTreeFacts({ witness, disk: realDisk, trees }, before)
  const readings = scopes.map((places) =>
    readScope(places, { witness, disk: realDisk, hostVersion, consents, factsOf }),
  )
  // Looked at although nothing may ask for it: changes are refused while it cannot be read.
  return { scopes: readings, warnings: unreadable(consents()) }
}

/** The journal stands from before an operation's first change until after its last. */
const isRunning = (witness: Witness, places: ScopePlaces): boolean => typeof witness.lstat(places.journal) !== 'string'

export const busy = (places: ScopePlaces): Diagnostic =>
  diagnostic(
    'info',
    'STATE_BUSY',
    `an operation on the ${places.scope} scope is under way or was interrupted; this is what was there meanwhile`,
    { scope: places.scope, file: places.journal, hint: 'gsd capability doctor' },
  )

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}
