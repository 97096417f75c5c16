import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import { type ConsentRecord, consentSubject, readGrants } from '../state/grants.ts'
import { manifestOf } from '../state/installed-manifest.ts'
import { readInstalled } from '../state/installed.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readScopeState } from '../state/scope-state.ts'
import { unreadableError } from '../state/stores.ts'
import { runTransaction } from '../transaction/run-transaction.ts'
import { refuseHiddenText } from '../trust/consent/refuse-hidden-text.ts'
import type { ConsentPrompt } from '../trust/consent/require-consent.ts'
import { requireConsent } from '../trust/consent/require-consent.ts'
import { checkLookAlikes } from '../trust/look-alike-warnings.ts'
import { readCode } from '../trust/read-code.ts'
import { canonicalJson } from '../trust/signature.ts'
import { explainNotInstalled } from './not-installed.ts'
import type { PlanView } from './plan/install-request.ts'
import { type GrantPlan, planGrant, planRevoke, type TrustAnswer } from './plan/plan-trust.ts'

/** What the user consented to, one record a row. */
export interface TrustRow extends Omit<ConsentRecord, 'files' | 'shown' | 'core'> {
  /** Whether it is about one of the scopes of this command. */
  readonly here: boolean
}

/** Every record of the consent store. @throws STATE_UNREADABLE, STATE_NEWER_SCHEMA */
export const listGrants = (context: Context): readonly TrustRow[] => {
  const file = readGrants(context.disk, context.user)
  if (file.state === 'unreadable') throw unreadableError(file.diagnostic)
  if (file.state === 'absent') return []
  const here = new Set(scopesOf(context).map((paths) => consentSubject(paths).project))
  return [...file.value.byKey.values()].map(({ files: _files, shown: _shown, core: _core, ...row }) => ({
    ...row,
    here: here.has(row.project),
  }))
}

export interface TrustRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  /** Accept text with invisible characters. */
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly consentPrompt: ConsentPrompt
}

/**
 * Trusts installed capabilities exactly as they are on disk: discloses, asks, records, and wires them into the hosts of
 * the ledger.
 * @throws STATE_NOT_INSTALLED, OVERLAY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const grant = async (context: Context, request: TrustRequest): Promise<TrustAnswer> => {
  const paths = scopePathsOf(context, request.scope)
  const known = await loadKnownHosts(context)
  const shown = await explainNotInstalled(context, paths.scope, async () =>
    planGrant(context, request.ids, paths, known),
  )
  if (!request.allowHidden) refuseHiddenText(shown.disclosures)
  if (request.dryRun) return { ...shown.answer, plan: await planView(shown) }
  if (shown.disclosures.length > 0) await reportNameWarnings(context, request.ids, paths)
  await requireConsent(request.consentPrompt, shown.disclosures)
  const plan = () => {
    const now = planGrant(context, request.ids, paths, known)
    if (canonicalJson(now.disclosures) === canonicalJson(shown.disclosures)) return now
    throw new GsdError('STATE_CHANGED', 'the files changed during the question, so nothing was trusted', {
      hint: 'run the command again to see what they are now',
    })
  }
  if (shown.changes.length === 0) return shown.answer
  const { answer } = await runTransaction(context, paths, {
    command: `trust grant ${request.ids.join(' ')}`,
    plan,
    inputs: () => ({}),
  })
  return answer
}

/** A bundle added to a project may have a name that looks like another one. */
const reportNameWarnings = async (context: Context, ids: readonly string[], paths: ScopePaths): Promise<void> => {
  const { input } = await loadRegistryFor(context)
  const state = readScopeState(context, paths)
  const manifests = ids.map((id) => manifestOf(readInstalled(context, paths, state, id)))
  const firstParty = input.firstParty.map(({ manifest }) => manifest)
  for (const finding of checkLookAlikes(firstParty, manifests)) context.report({ kind: 'warning', diagnostic: finding })
}

const planView = async ({ disclosures, changes }: GrantPlan): Promise<PlanView> => ({
  disclosures,
  changes,
  code: await Promise.all(disclosures.map((disclosure) => readCode(disclosure))),
})

/** Revokes consent, and removes the capabilities from every host of the scope. @throws HOST_*, STATE_*, LOCK_* */
export const revoke = async (context: Context, { ids, scope, dryRun }: TrustRequest): Promise<TrustAnswer> => {
  const paths = scopePathsOf(context, scope)
  const plan = () => planRevoke(context, ids, paths)
  if (dryRun) {
    const { answer, changes } = plan()
    return { ...answer, plan: { disclosures: [], changes } }
  }
  const { answer } = await runTransaction(context, paths, {
    command: `trust revoke ${ids.join(' ')}`,
    plan,
    inputs: () => ({}),
  })
  return answer
}
