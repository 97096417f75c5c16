import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { findConsent, type ConsentMatch } from '../../state/find-consent.ts'
import { consentSubject } from '../../state/grants.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import type { InstalledCapability } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import type { ScopeState } from '../../state/scope-state.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import type { KnownHosts } from '../runtimes/known-hosts.ts'
import type { HostFileEditor } from './host-file-editor.ts'
import { wire, type Wiring } from './wire.ts'

export interface RewireContext {
  readonly context: Context
  readonly paths: ScopePaths
  readonly state: ScopeState
  readonly hostFiles: HostFileEditor
  readonly known: KnownHosts
}

/**
 * Plans to wire an installed capability into the hosts that the ledger names for it. In a scope that may come from a
 * repository only what the user agreed to is wired; anything else is said.
 * @param agreed consent is being recorded in the same operation
 * @param from folder in which its files are now
 * @throws OVERLAY_*, HOST_*
 */
export const rewire = (
  { context, paths, state, hostFiles, known }: RewireContext,
  installed: InstalledCapability,
  agreed: boolean,
  from: string = installed.dir,
): { readonly wiring: Wiring; readonly warnings: readonly Diagnostic[] } => {
  const { id, entry, tree } = installed
  const runtimes = entry?.runtimes ?? []
  if (tree === null || runtimes.length === 0) return { wiring: NO_WIRING, warnings: [] }
  const manifest = manifestOf(installed)
  if (!paths.trusted && !agreed && !hasConsent(paths, state, installed)) {
    const hint = `gsd capability trust grant ${id} --scope ${paths.scope}`
    const text = `${quote(id)} is not wired into ${runtimes.join(', ')}: you did not agree to it as it is now`
    return {
      wiring: NO_WIRING,
      warnings: [diagnostic('warning', 'CONSENT_MISSING', text, { id, scope: paths.scope, hint })],
    }
  }
  const wiring = wire(context, state.hostRecords, hostFiles, {
    paths,
    manifest,
    files: tree.files,
    from,
    runtimes,
    known,
    settings: null,
    force: true,
    links: 'report',
  })
  return { wiring, warnings: wiring.linked }
}

const NO_WIRING: Wiring = { wired: [], notWired: [], runtimes: [], linked: [] }

/** True where the user agreed to the installed bundle exactly as it is on disk. */
export const hasConsent = (paths: ScopePaths, state: ScopeState, installed: InstalledCapability): boolean =>
  consentStatus(paths, state, installed) === 'granted'

/** Whether the user agreed to the installed bundle as it is on disk; one that is not usable is not what was agreed to. */
export const consentStatus = (
  paths: ScopePaths,
  { grants }: ScopeState,
  installed: InstalledCapability,
): ConsentMatch['kind'] => {
  const { id, tree } = installed
  if (tree === null || tree.unexpected.length > 0) return 'changed'
  try {
    const surfaces = surfaceSignature(listSurfaces(manifestOf(installed), tree.files))
    return findConsent(grants, { ...consentSubject(paths), id, digest: tree.digest, surfaces }).kind
  } catch (error) {
    if (error instanceof GsdError) return 'changed'
    throw error
  }
}
