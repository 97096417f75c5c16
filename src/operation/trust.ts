import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import type { KnownHosts } from '../host/runtimes/known-hosts.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { listFolder } from '../platform/folders.ts'
import { quote } from '../redact.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import { type ConsentRecord, consentSubject, readGrants } from '../state/grants.ts'
import { manifestOf } from '../state/installed-manifest.ts'
import { readInstalled } from '../state/installed.ts'
import { isCapabilityId } from '../state/name-rules.ts'
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
  return explainNotInstalled(context, paths.scope, () => grantIn(context, request, [{ paths, ids: request.ids }]))
}

/**
 * The same for everything that is installed and not granted, asked about once. What cannot be granted is left out with a
 * warning.
 * @param request without ids; scope null: every scope
 */
export const grantAll = async (
  context: Context,
  request: Omit<TrustRequest, 'ids' | 'scope'> & { readonly scope: ScopeName | null },
): Promise<TrustAnswer> => {
  const scopes = request.scope === null ? scopesOf(context) : [scopePathsOf(context, request.scope)]
  const known = await loadKnownHosts(context)
  const warnings: Diagnostic[] = []
  const targets = scopes.map((paths) => ({
    paths,
    ids: grantableIds(context, paths).filter((id) => {
      const problem = grantProblem(() => {
        const { disclosures } = planGrant(context, [id], paths, known)
        if (!request.allowHidden) refuseHiddenText(disclosures)
      })
      if (problem !== null) warnings.push(notGrantableWarning(paths, id, problem))
      return problem === null
    }),
  }))
  const answer = await grantIn(context, request, targets)
  return { ...answer, warnings: [...warnings, ...answer.warnings] }
}

/** What the ledger names; in a project also the bundles that somebody added without it. */
const grantableIds = (context: Context, paths: ScopePaths): readonly string[] => {
  const { ledger } = readScopeState(context, paths)
  const folders = paths.trusted ? [] : listFolder(context.disk, paths.capabilities).filter(isCapabilityId)
  return [...new Set([...ledger.capabilities.keys(), ...folders])].toSorted()
}

const grantProblem = (work: () => void): GsdError | null => {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
}

const notGrantableWarning = ({ scope }: ScopePaths, id: string, { code, message, hint }: GsdError): Diagnostic =>
  diagnostic('warning', code, `${quote(id)} was left out: ${message}`, {
    id,
    scope,
    ...(hint === undefined ? {} : { hint }),
  })

interface GrantTarget {
  readonly paths: ScopePaths
  readonly ids: readonly string[]
}

/** One question for all scopes, then one operation for each. */
const grantIn = async (
  context: Context,
  request: Pick<TrustRequest, 'allowHidden' | 'dryRun' | 'consentPrompt'>,
  targets: readonly GrantTarget[],
): Promise<TrustAnswer> => {
  const known = await loadKnownHosts(context)
  const shown = targets.map(({ paths, ids }) => ({ paths, ids, plan: planGrant(context, ids, paths, known) }))
  const disclosures = shown.flatMap(({ plan }) => plan.disclosures)
  if (!request.allowHidden) refuseHiddenText(disclosures)
  if (request.dryRun) {
    const changes = shown.flatMap(({ plan }) => plan.changes)
    const code = await Promise.all(disclosures.map((disclosure) => readCode(disclosure)))
    return { ...joinAnswers(shown.map(({ plan }) => plan.answer)), plan: { disclosures, changes, code } }
  }
  for (const { paths, ids, plan } of shown)
    if (plan.disclosures.length > 0) await reportNameWarnings(context, ids, paths)
  await requireConsent(request.consentPrompt, disclosures)
  const answers: TrustAnswer[] = []
  for (const { paths, ids, plan } of shown) answers.push(await applyGrant(context, { paths, ids }, plan, known))
  return joinAnswers(answers)
}

const applyGrant = async (
  context: Context,
  { paths, ids }: GrantTarget,
  shown: GrantPlan,
  known: KnownHosts,
): Promise<TrustAnswer> => {
  if (shown.changes.length === 0) return shown.answer
  const plan = () => {
    const now = planGrant(context, ids, paths, known)
    if (canonicalJson(now.disclosures) === canonicalJson(shown.disclosures)) return now
    throw new GsdError('STATE_CHANGED', 'the files changed during the question, so nothing was trusted', {
      hint: 'run the command again to see what they are now',
    })
  }
  const { answer } = await runTransaction(context, paths, {
    command: `trust grant ${ids.join(' ')}`,
    plan,
    inputs: () => ({}),
  })
  return answer
}

const joinAnswers = (answers: readonly TrustAnswer[]): TrustAnswer => ({
  changed: answers.flatMap(({ changed }) => changed),
  unchanged: answers.flatMap(({ unchanged }) => unchanged),
  wired: answers.flatMap(({ wired }) => wired),
  unwired: answers.flatMap(({ unwired }) => unwired),
  warnings: answers.flatMap(({ warnings }) => warnings),
})

/** A bundle added to a project may have a name that looks like another one. */
const reportNameWarnings = async (context: Context, ids: readonly string[], paths: ScopePaths): Promise<void> => {
  const { input } = await loadRegistryFor(context)
  const state = readScopeState(context, paths)
  const manifests = ids.map((id) => manifestOf(readInstalled(context, paths, state, id)))
  const firstParty = input.firstParty.map(({ manifest }) => manifest)
  for (const finding of checkLookAlikes(firstParty, manifests)) context.report({ kind: 'warning', diagnostic: finding })
}

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
