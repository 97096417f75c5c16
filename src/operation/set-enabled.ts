import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { type KnownHosts, listKnownHosts } from '../host/runtimes/known-hosts.ts'
import { hostChanges, openHostFileEditor } from '../host/wiring/host-file-editor.ts'
import { hasConsent, rewire, type RewireContext } from '../host/wiring/rewire.ts'
import { unwire } from '../host/wiring/unwire.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import type { LoadedRegistry } from '../overlay/loaded-registry.ts'
import { quote } from '../redact.ts'
import { checkRemoval } from '../registry/check-change.ts'
import type { Change } from '../state/change.ts'
import { recordChange, withoutUnchanged } from '../state/change.ts'
import { scopePathsOf } from '../state/config/resolve-paths.ts'
import { readHostRecords } from '../state/host-records.ts'
import { type InstalledCapability, readInstalled, refuseUnexpectedContent } from '../state/installed.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readScopeState } from '../state/scope-state.ts'
import { isDisabled, readSwitches } from '../state/switches.ts'
import { runTransaction } from '../transaction/run-transaction.ts'
import { refuseHiddenText } from '../trust/consent/refuse-hidden-text.ts'
import { type ConsentPrompt, requireConsent } from '../trust/consent/require-consent.ts'
import type { Disclosure } from '../trust/disclosure.ts'
import { canonicalJson } from '../trust/signature.ts'
import { coreSwitchNotices } from './core-switch.ts'
import { unknownIdError } from './not-installed.ts'
import type { PlanView } from './plan/install-request.ts'
import { grantChange, planConsent } from './plan/plan-consent.ts'

/** The request of `capability enable` and `disable`. */
export interface SetEnabledRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  readonly status: 'enabled' | 'disabled'
  readonly dryRun: boolean
  /** Allow text with invisible characters in what is granted. */
  readonly allowHidden: boolean
  readonly consentPrompt: ConsentPrompt
}

export interface SetEnabledAnswer {
  readonly switched: readonly string[]
  readonly unchanged: readonly string[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

/**
 * Enables or disables capabilities in a scope, first-party ones too. A disabled one contributes nothing and is in no host;
 * it stays disabled over updates. A project cannot enable what the user disabled (contract, "Files").
 * @throws STATE_NOT_INSTALLED, STATE_DISABLED, OVERLAY_INVALID, HOST_*, STATE_*, LOCK_*
 */
export const setEnabled = async (context: Context, request: SetEnabledRequest): Promise<SetEnabledAnswer> => {
  const paths = scopePathsOf(context, request.scope)
  const loaded = await loadRegistryFor(context)
  for (const id of request.ids) requireKnown(loaded, id)
  if (request.status === 'enabled') refuseUserDisabled(context, request, paths)
  const warnings = [
    ...(request.status === 'disabled' ? dependentWarnings(loaded, request) : []),
    ...otherScopeWarnings(context, request),
    ...coreSwitchNotices(context, loaded, request),
  ]
  const known = listKnownHosts(loaded.registry.runtimes.values())
  const plan = () => planSetEnabled(context, request, paths, known)
  const shown = plan()
  if (!request.allowHidden) refuseHiddenText(shown.disclosures)
  if (request.dryRun) {
    const { disclosures, changes } = shown
    return { ...shown.answer, plan: { disclosures, changes }, warnings: [...warnings, ...shown.answer.warnings] }
  }
  await requireConsent(request.consentPrompt, shown.disclosures)
  const verb = request.status === 'enabled' ? 'enable' : 'disable'
  const { answer } = await runTransaction(context, paths, {
    command: `${verb} ${request.ids.join(' ')}`,
    plan: () => refuseUnseen(shown, plan()),
    inputs: () => ({}),
  })
  return { ...answer, warnings: [...warnings, ...answer.warnings] }
}

/** Nothing is granted that was not shown. */
const refuseUnseen = (shown: SetEnabledPlan, now: SetEnabledPlan): SetEnabledPlan => {
  if (canonicalJson(shown.disclosures) === canonicalJson(now.disclosures)) return now
  throw new GsdError('STATE_CHANGED', 'the files changed while you were asked, so nothing was enabled', {
    hint: 'run the command again to see what they are now',
  })
}

interface SetEnabledPlan {
  readonly changes: readonly Change[]
  /** What the user has not granted here. */
  readonly disclosures: readonly Disclosure[]
  readonly answer: Omit<SetEnabledAnswer, 'plan'>
}

const planSetEnabled = (
  context: Context,
  { ids, status }: SetEnabledRequest,
  paths: ScopePaths,
  known: KnownHosts,
): SetEnabledPlan => {
  const state = readScopeState(context, paths, { needsGrants: status === 'enabled' })
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const off = (id: string): boolean => state.switches.byCapability.get(id) === 'disabled'
  const switched = [...new Set(ids)].filter((id) => off(id) !== (status === 'disabled'))
  const rewired =
    status === 'disabled'
      ? []
      : switched.map((id) => {
          const installed = readInstalled(context, paths, state, id)
          if (!paths.trusted) refuseUnexpectedContent(installed, 'enabled')
          return planEnable({ context, paths, state, hostFiles, known }, installed)
        })
  const unwired =
    status === 'enabled'
      ? []
      : switched.flatMap((id) => unwire(context, state.hostRecords, hostFiles, id, null).map((file) => ({ id, file })))
  return {
    disclosures: rewired.flatMap(({ consent }) => (consent === null ? [] : [consent.disclosure])),
    changes: withoutUnchanged([
      ...rewired.flatMap(({ consent }) => (consent === null ? [] : [grantChange(consent)])),
      ...hostChanges(hostFiles),
      ...switched.map((id) =>
        recordChange(
          'state',
          ['capabilities', id],
          state.switches.byCapability.get(id) ?? null,
          status === 'disabled' ? status : null,
        ),
      ),
    ]),
    answer: {
      switched,
      unchanged: [...new Set(ids)].filter((id) => !switched.includes(id)),
      wired: rewired.flatMap(({ id, wiring }) => wiring.wired.map((each) => ({ id, ...each }))),
      unwired,
      warnings: [...hostFiles.warnings(), ...rewired.flatMap((each) => each.warnings)],
    },
  }
}

/**
 * Wires what is enabled again, with the consent that is missing for it. A folder of the user's own scope that is in no ledger
 * is wired nowhere, so it needs none.
 */
const planEnable = (rewiring: RewireContext, installed: InstalledCapability) => {
  const { context, paths, state } = rewiring
  const { id, tree, entry } = installed
  const isGranted = tree === null || (paths.trusted && entry === null) || hasConsent(paths, state, installed)
  const { wiring, warnings } = rewire(rewiring, installed, { agreed: true })
  const consent = isGranted ? null : planConsent(context, paths, state, { installed, edits: wiring.wired })
  return { id, wiring, warnings, consent }
}

const requireKnown = ({ rows }: LoadedRegistry, id: string): void => {
  if (!rows.some((row) => row.id === id)) throw unknownIdError(id, rows, 'gsd capability list shows what there is')
}

const refuseUserDisabled = (context: Context, { ids, scope }: SetEnabledRequest, paths: ScopePaths): void => {
  if (scope !== 'project' || paths === context.global) return
  const user = readSwitches(context.disk, context.global)
  const off = ids.find((id) => user.state === 'ok' && user.value.byCapability.get(id) === 'disabled')
  if (off === undefined) return
  throw new GsdError('STATE_DISABLED', `you disabled ${quote(off)} globally, and a project cannot enable it`, {
    hint: `gsd capability enable ${off} --scope global`,
    details: { id: off },
  })
}

/** Where the other scope's switches or hosts limit the effect. */
const otherScopeWarnings = (context: Context, { ids, scope, status }: SetEnabledRequest): Diagnostic[] => {
  const { disk, global, project } = context
  if (project === null || project === global) return []
  if (status === 'enabled') {
    const here = readSwitches(disk, project)
    const off = scope === 'global' && here.state === 'ok' ? ids.filter((id) => isDisabled(id, null, here.value)) : []
    return off.map((id) =>
      diagnostic('warning', 'OVERLAY_DISABLED', `${quote(id)} stays disabled here: this project disables it`, {
        id,
        scope: 'project',
        hint: `gsd capability enable ${id} --scope project`,
      }),
    )
  }
  const hosts = readHostRecords(disk, global)
  if (scope === 'global' || hosts.state !== 'ok') return []
  return [...hosts.value.files].flatMap(([file, { entries }]) =>
    ids
      .filter((id) => Object.hasOwn(entries, id))
      .map((id) =>
        diagnostic(
          'warning',
          'OVERLAY_DISABLED',
          `${quote(id)} stays wired in ${quote(file)}, which also applies here`,
          {
            id,
            scope: 'global',
            file,
            hint: `gsd capability disable ${id} --scope global disables it everywhere`,
          },
        ),
      ),
  )
}

/** What will be skipped because it requires something disabled. */
const dependentWarnings = ({ input }: LoadedRegistry, { ids, scope }: SetEnabledRequest): Diagnostic[] =>
  checkRemoval(input, ids, scope).map((finding) => ({
    ...finding,
    severity: 'warning',
    hint: `gsd capability enable ${ids.join(' ')} --scope ${scope}`,
  }))
