import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { KnownHosts } from '../../host/known-hosts.ts'
import { quote } from '../../redact.ts'
import { consentSubject } from '../../store/consent.ts'
import { findConsent, type ConsentAnswer } from '../../store/find-consent.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { manifestOf } from '../installed/installed-manifest.ts'
import type { Installed } from '../installed/installed.ts'
import type { ScopeState } from '../installed/scope-state.ts'
import type { HostBook } from './host-book.ts'
import { wire, type Wiring } from './wiring.ts'

export interface RewireWorld {
  readonly context: Context
  readonly places: ScopePlaces
  readonly state: ScopeState
  readonly book: HostBook
  readonly known: KnownHosts
}

/**
 * Plans that an installed capability stands in the hosts the ledger names for it again. In a scope that may come from a
 * repository only what the user agreed to is wired; anything else is said.
 * @param agreed consent is being recorded in the same operation
 * @param from folder in which its files are now
 * @throws OVERLAY_*, HOST_*
 */
export const rewire = (
  { context, places, state, book, known }: RewireWorld,
  installed: Installed,
  agreed: boolean,
  from: string = installed.dir,
): { readonly wiring: Wiring; readonly warnings: readonly Diagnostic[] } => {
  const { id, entry, tree } = installed
  const runtimes = entry?.runtimes ?? []
  if (tree === null || runtimes.length === 0) return { wiring: NOTHING, warnings: [] }
  const manifest = manifestOf(installed)
  if (!places.trusted && !agreed && !isAgreed(places, state, installed)) {
    const hint = `gsd capability trust grant ${id} --scope ${places.scope}`
    const text = `${quote(id)} is not wired into ${runtimes.join(', ')}: you did not agree to it as it is now`
    return {
      wiring: NOTHING,
      warnings: [diagnostic('warning', 'CONSENT_MISSING', text, { id, scope: places.scope, hint })],
    }
  }
  return {
    wiring: wire(context, state.hosts, book, {
      places,
      manifest,
      files: tree.files,
      from,
      runtimes,
      known,
      settings: null,
      force: true,
    }),
    warnings: [],
  }
}

const NOTHING: Wiring = { wired: [], notWired: [], runtimes: [] }

/** True where the user agreed to the installed bundle exactly as it is on disk. */
export const isAgreed = (places: ScopePlaces, state: ScopeState, installed: Installed): boolean =>
  agreementTo(places, state, installed) === 'granted'

/** Whether the user agreed to the installed bundle as it is on disk; one that is not usable is not what was agreed to. */
export const agreementTo = (
  places: ScopePlaces,
  { consents }: ScopeState,
  installed: Installed,
): ConsentAnswer['kind'] => {
  const { id, tree } = installed
  if (tree === null || tree.odd.length > 0) return 'changed'
  try {
    const surfaces = surfaceSignature(surfacesOf(manifestOf(installed), tree.files))
    return findConsent(consents, { ...consentSubject(places), id, digest: tree.digest, surfaces }).kind
  } catch (error) {
    if (error instanceof GsdError) return 'changed'
    throw error
  }
}
