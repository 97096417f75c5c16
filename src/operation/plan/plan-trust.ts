import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { KnownHosts } from '../../host/runtimes/known-hosts.ts'
import { hostChanges, openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { rewire } from '../../host/wiring/rewire.ts'
import { unwire } from '../../host/wiring/unwire.ts'
import { quote } from '../../redact.ts'
import type { Change } from '../../state/change.ts'
import { recordChange, withoutUnchanged } from '../../state/change.ts'
import { scopeConsentKey } from '../../state/grants.ts'
import { readInstalled, refuseUnexpectedContent } from '../../state/installed.ts'
import { requireLedgerEntry } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, readScopeState } from '../../state/scope-state.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import type { PlanView } from './install-request.ts'
import { grantChange, planConsent } from './plan-consent.ts'

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
  const each = [...new Set(ids)].map((id) => {
    const installed = readInstalled(context, paths, state, id)
    if (installed.tree === null) requireLedgerEntry(state.ledger.capabilities, id, paths)
    refuseUnexpectedContent(installed, 'trusted')
    const { wiring, warnings } = isSwitchedOff(id, state)
      ? { wiring: null, warnings: [] }
      : rewire({ context, paths, state, hostFiles, known }, installed, { agreed: true, onHostError: 'report' })
    const edits = wiring?.wired ?? []
    return { ...planConsent(context, paths, state, { installed, edits }), edits, warnings }
  })
  const changed = each.filter(({ before, after }) => before !== after)
  return {
    disclosures: changed.map(({ disclosure }) => disclosure),
    changes: withoutUnchanged([...changed.map(grantChange), ...hostChanges(hostFiles)]),
    answer: {
      changed: changed.map(({ id }) => id),
      unchanged: each.filter(({ before, after }) => before === after).map(({ id }) => id),
      wired: each.flatMap(({ id, edits }) => edits.map((edit) => ({ id, ...edit }))),
      unwired: [],
      warnings: [...hostFiles.warnings(), ...each.flatMap(({ warnings }) => warnings)],
    },
  }
}

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
