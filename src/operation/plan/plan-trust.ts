import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { KnownHosts } from '../../host/runtimes/known-hosts.ts'
import { hostChanges, openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { rewire } from '../../host/wiring/rewire.ts'
import { unwire } from '../../host/wiring/unwire.ts'
import { quote } from '../../redact.ts'
import { scanHiddenText } from '../../resolve/scan-hidden-text.ts'
import type { Change } from '../../state/change.ts'
import { recordChange, withoutUnchanged } from '../../state/change.ts'
import { consentRecordOf, consentSubject, scopeConsentKey } from '../../state/grants.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import { type InstalledCapability, readInstalled, refuseUnexpectedContent } from '../../state/installed.ts'
import { requireLedgerEntry } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, readScopeState } from '../../state/scope-state.ts'
import { shownBaseline } from '../../trust/consent/consent-baseline.ts'
import { createConsentTarget } from '../../trust/consent/consent-target.ts'
import { checkLaneHosts } from '../../trust/consent/lane-hosts.ts'
import { createDisclosure, type Disclosure } from '../../trust/disclosure.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import type { PlanView } from './install-request.ts'

export interface TrustAnswer {
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  /** Only with `--dry-run`: what would have been done. */
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

/** What a grant will do. */
export interface GrantPlan {
  readonly changes: readonly Change[]
  readonly disclosures: readonly Disclosure[]
  readonly answer: TrustAnswer
}

/** Reads the disk and decides everything; writes nothing. @throws STATE_*, OVERLAY_*, HOST_* */
export const planGrant = (
  context: Context,
  ids: readonly string[],
  paths: ScopePaths,
  known: KnownHosts,
): GrantPlan => {
  const state = readScopeState(context, paths)
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const subject = consentSubject(paths)
  const each = [...new Set(ids)].map((id) => {
    const installed = readInstalled(context, paths, state, id)
    if (installed.tree === null) requireLedgerEntry(state.ledger.capabilities, id, paths)
    refuseUnexpectedContent(installed, 'trusted')
    const manifest = manifestOf(installed)
    const files = installed.tree?.files ?? []
    const digest = installed.tree?.digest ?? ''
    const surfaces = listSurfaces(manifest, files)
    const key = scopeConsentKey(paths, id)
    const before = state.grants.byKey.get(key) ?? null
    const fresh = createConsentTarget(context, {
      manifest,
      files,
      digest,
      surfaces,
      signature: surfaceSignature(surfaces),
    })
    const renews = checkLaneHosts(context, manifest, surfaces, before).length > 0
    const after = consentRecordOf(subject, fresh, renews ? null : before, new Date(context.now()))
    const off = isSwitchedOff(id, state)
    const { wiring, warnings } = off
      ? { wiring: null, warnings: [] }
      : rewire({ context, paths, state, hostFiles, known }, installed, true)
    const edits = wiring?.wired ?? []
    const spec = installed.entry?.spec ?? `.gsd/capabilities/${id}`
    const hidden = after === before ? [] : scanHiddenText(context.disk, bundleOf(installed))
    const baseline = before === null ? null : shownBaseline(before)
    const disclosure = createDisclosure({
      manifest,
      files,
      scope: paths.scope,
      spec,
      digest,
      edits,
      hidden,
      baseline,
    })
    return { id, key, before, after, edits, warnings, disclosure }
  })
  const changed = each.filter(({ before, after }) => before !== after)
  return {
    disclosures: changed.map(({ disclosure }) => disclosure),
    changes: withoutUnchanged([
      ...changed.map(({ key, before, after }) => recordChange('grants', ['grants', key], before, after)),
      ...hostChanges(hostFiles),
    ]),
    answer: {
      changed: changed.map(({ id }) => id),
      unchanged: each.filter(({ before, after }) => before === after).map(({ id }) => id),
      wired: each.flatMap(({ id, edits }) => edits.map((edit) => ({ id, ...edit }))),
      unwired: [],
      warnings: [...hostFiles.warnings(), ...each.flatMap(({ warnings }) => warnings)],
    },
  }
}

const bundleOf = ({ dir, tree }: InstalledCapability) => ({
  dir,
  files: tree?.files ?? [],
  manifest: tree?.manifest ?? new Uint8Array(),
})

/** The same for revoking consent; nothing is disclosed. @throws STATE_*, HOST_* */
export const planRevoke = (
  context: Context,
  ids: readonly string[],
  paths: ScopePaths,
): Omit<GrantPlan, 'disclosures'> => {
  const state = readScopeState(context, paths)
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const each = [...new Set(ids)].map((id) => {
    const key = scopeConsentKey(paths, id)
    const unwired = unwire(context, state.hostRecords, hostFiles, id, null).map((file) => ({ id, file }))
    return { id, key, before: state.grants.byKey.get(key) ?? null, unwired }
  })
  return {
    changes: withoutUnchanged([
      ...each.map(({ key, before }) => recordChange('grants', ['grants', key], before, null)),
      ...hostChanges(hostFiles),
    ]),
    answer: {
      changed: each.filter(({ before }) => before !== null).map(({ id }) => id),
      unchanged: each.filter(({ before }) => before === null).map(({ id }) => id),
      wired: [],
      unwired: each.flatMap(({ unwired }) => unwired),
      warnings: [
        ...hostFiles.warnings(),
        ...each.flatMap(({ id, before }) => (before === null ? [notGrantedWarning(id, paths)] : [])),
      ],
    },
  }
}

const notGrantedWarning = (id: string, { scope }: ScopePaths): Diagnostic =>
  diagnostic('warning', 'CONSENT_MISSING', `${quote(id)} was not trusted in the ${scope} scope`, { id, scope })
