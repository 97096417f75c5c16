import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { isSystemFailure } from '../../platform/disk-error.ts'
import { isInside } from '../../platform/real-path.ts'
import { quote } from '../../redact.ts'
import { findConsent, type ConsentMatch } from '../../state/find-consent.ts'
import { consentSubject } from '../../state/grants.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import { consentContent, type InstalledCapability } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import type { ScopeState } from '../../state/scope-state.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import type { KnownHosts } from '../runtimes/known-hosts.ts'
import { type HostFileEditor, openHostFileEditor } from './host-file-editor.ts'
import { wire, type Wiring } from './wire.ts'

export interface RewireContext {
  readonly context: Context
  readonly paths: ScopePaths
  readonly state: ScopeState
  readonly hostFiles: HostFileEditor
  readonly known: KnownHosts
}

export interface RewireOptions {
  /** Consent is being recorded in the same operation. */
  readonly agreed?: boolean
  /** Folder in which the files are now, if not the installed one. */
  readonly from?: string
  /** A host that cannot be wired: refuse, or wire the others and report it. */
  readonly onHostError?: 'refuse' | 'report'
}

/**
 * Plans to wire an installed capability into the hosts that the ledger names for it, if the user granted it here: a ledger
 * is not consent (security page, "Disclosure and consent"). Reports a host that is not known or has no place for it.
 * @throws OVERLAY_*, HOST_*
 */
export const rewire = (
  rewiring: RewireContext,
  installed: InstalledCapability,
  { agreed = false, from = installed.dir, onHostError = 'refuse' }: RewireOptions = {},
): { readonly wiring: Wiring; readonly warnings: readonly Diagnostic[] } => {
  const { context, paths, state, hostFiles, known } = rewiring
  const named = installed.entry?.runtimes ?? []
  if (installed.tree === null || named.length === 0) return { wiring: NO_WIRING, warnings: [] }
  if (!agreed && !hasConsent(paths, state, installed))
    return { wiring: NO_WIRING, warnings: [notGrantedWarning(paths, installed.id)] }
  const wireWith = (editor: HostFileEditor, runtimes: readonly string[]): Wiring =>
    wire(context, state.hostRecords, editor, {
      paths,
      manifest: manifestOf(installed),
      files: consentContent(paths, installed).files,
      from,
      runtimes,
      known,
      settings: null,
      force: false,
      links: 'report',
      adopt: true,
    })
  const failed =
    onHostError === 'refuse' ? new Map<string, Diagnostic>() : findFailingHosts(rewiring, installed, named, wireWith)
  const wiring = wireWith(
    hostFiles,
    named.filter((runtime) => !failed.has(runtime)),
  )
  const missing = wiring.notWired.filter(({ runtime }) => !wiring.runtimes.includes(runtime) || !known.has(runtime))
  const warnings = missing.map(({ runtime, reason }) =>
    notWiredWarning(paths, installed.id, runtime, { code: 'HOST_UNKNOWN_RUNTIME', reason }),
  )
  return { wiring, warnings: [...failed.values(), ...wiring.linked, ...warnings] }
}

/** Tries each host alone, on host files of its own. What fails outside of the host's files stops everything. */
const findFailingHosts = (
  { context, paths, state }: RewireContext,
  { id }: InstalledCapability,
  runtimes: readonly string[],
  wireWith: (editor: HostFileEditor, runtimes: readonly string[]) => Wiring,
): ReadonlyMap<string, Diagnostic> => {
  const failed = new Map<string, Diagnostic>()
  for (const runtime of runtimes) {
    try {
      wireWith(openHostFileEditor(context, { roots: paths, hosts: state.hostRecords }), [runtime])
    } catch (error) {
      if (!(error instanceof GsdError) || isSystemFailure(error) || isAboutFolder(error, paths.gsd)) throw error
      const { code, message: reason, hint } = error
      failed.set(runtime, notWiredWarning(paths, id, runtime, { code, reason, hint }))
    }
  }
  return failed
}

const isAboutFolder = ({ details }: GsdError, folder: string): boolean =>
  typeof details === 'object' && details !== null && 'file' in details && isInside(String(details.file), folder)

const notWiredWarning = (
  { scope }: ScopePaths,
  id: string,
  runtime: string,
  {
    code,
    reason,
    hint,
  }: { readonly code: Diagnostic['code']; readonly reason: string; readonly hint?: string | undefined },
): Diagnostic =>
  diagnostic('warning', code, `${quote(id)} is not wired into ${runtime}: ${reason}`, {
    id,
    scope,
    hint: hint ?? `to leave that host: gsd capability remove ${id} --runtime ${runtime} --scope ${scope}`,
  })

/** What is installed here and was not granted here. */
export const notGrantedWarning = ({ scope }: ScopePaths, id: string): Diagnostic =>
  diagnostic('warning', 'CONSENT_MISSING', `${quote(id)} is not wired: you did not agree to it here as it is now`, {
    id,
    scope,
    hint: `gsd capability trust grant ${id} --scope ${scope}`,
  })

const NO_WIRING: Wiring = { wired: [], notWired: [], runtimes: [], hooked: [], linked: [] }

/** True where the user agreed to the installed bundle as it is on disk. */
export const hasConsent = (paths: ScopePaths, state: ScopeState, installed: InstalledCapability): boolean =>
  consentStatus(paths, state, installed) === 'granted'

/** Whether what stands in hosts may stay there. Whoever can change a file in the user's own scope is the user. */
export const mayStayWired = (paths: ScopePaths, state: ScopeState, installed: InstalledCapability): boolean => {
  const status = consentStatus(paths, state, installed)
  return status === 'granted' || (paths.trusted && status === 'changed')
}

/** Whether the user agreed to the installed bundle as it is on disk; one that is not usable is not what was agreed to. */
export const consentStatus = (
  paths: ScopePaths,
  { grants }: ScopeState,
  installed: InstalledCapability,
): ConsentMatch['kind'] => {
  const { id, tree } = installed
  if (tree === null || tree.unexpected.length > 0) return 'changed'
  try {
    const { files, digest } = consentContent(paths, installed)
    const surfaces = surfaceSignature(listSurfaces(manifestOf(installed), files))
    return findConsent(grants, { ...consentSubject(paths), id, digest, surfaces }).kind
  } catch (error) {
    if (!(error instanceof GsdError) || isSystemFailure(error)) throw error
    return 'changed'
  }
}
