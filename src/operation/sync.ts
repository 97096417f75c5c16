import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { gatesInText } from '../registry/lost-gate.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import { receiptTarget, receiptText } from '../state/receipts.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { runTransaction } from '../transaction/run-transaction.ts'
import { withStaging } from '../transaction/staging.ts'
import { refuseHiddenText } from '../trust/consent/refuse-hidden-text.ts'
import { type ConsentPrompt, requireConsent } from '../trust/consent/require-consent.ts'
import type { Disclosure } from '../trust/disclosure.ts'
import { canonicalJson } from '../trust/signature.ts'
import { fetchMissing } from './plan/fetch-missing.ts'
import type { FetchedBundles } from './plan/fetched-bundles.ts'
import type { Agreed } from './plan/plan-sync-consent.ts'
import { planSync, type SyncOptions, type SyncPlan } from './plan/plan-sync.ts'
import { failedError, type SyncAnswer, syncAnswer } from './sync-answer.ts'

/** What `capability sync` was asked to do. */
export interface SyncRequest extends SyncOptions {
  /** Null: every scope. */
  readonly scope: ScopeName | null
  readonly allowHttp: boolean
  /** Allow text with invisible characters in what is granted. */
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly consentPrompt: ConsentPrompt
}

/**
 * Makes the disk match the ledger: what is missing or differs is fetched again and must have the recorded digest; hosts
 * are wired if the user consented. Nothing is removed (contract, `capability sync`). Each scope is its own operation;
 * none starts before everything is fetched and planned for all scopes. What cannot be restored is in `failed`, and costs only
 * itself.
 * @throws STATE_*, HOST_*, LOCK_*
 */
export const sync = (context: Context, request: SyncRequest): Promise<SyncAnswer> =>
  withStaging(context, async ({ dir }) => {
    const scopes = request.scope === null ? scopesOf(context) : [scopePathsOf(context, request.scope)]
    const plans: ScopePlan[] = []
    for (const paths of scopes) plans.push(await planScope(context, request, paths, join(dir, paths.scope)))
    const { agreed, refusal } = await askForGrants(
      request,
      plans.flatMap(({ plan }) => plan.notGranted),
    )
    // All scopes are decided before the first one changes, so that what cannot be read stops all of them.
    const decided = plans.map(({ paths, fetched, replan }) => {
      const decide = () => replan(agreedIn(agreed, paths))
      return { paths, fetched, decide, plan: decide() }
    })
    const answers: SyncAnswer[] = []
    for (const { paths, fetched, decide, plan } of decided) {
      const isIdle = request.dryRun || plan.changes.length === 0
      const done = isIdle ? plan : await applyScope(context, paths, decide)
      answers.push(syncAnswer(done, { paths, failed: fetched.failed, dryRun: request.dryRun }))
    }
    const failed = answers.flatMap((answer) => answer.failed)
    return {
      restored: answers.flatMap(({ restored }) => restored),
      wired: answers.flatMap(({ wired }) => wired),
      unchanged: answers.flatMap(({ unchanged }) => unchanged),
      extras: answers.flatMap(({ extras }) => extras),
      moreExtras: answers.reduce((sum, { moreExtras }) => sum + moreExtras, 0),
      granted: answers.flatMap(({ granted }) => granted),
      notGranted: answers.flatMap(({ notGranted }) => notGranted),
      failed,
      refusal: failedError(plans.map(({ fetched }) => fetched)) ?? refusal,
      ...(request.dryRun ? { plan: joinPlans(answers.flatMap(({ plan }) => plan ?? [])) } : {}),
      warnings: answers.flatMap(({ warnings }) => warnings),
    }
  })

type SyncPlanView = NonNullable<SyncAnswer['plan']>

const joinPlans = (plans: readonly SyncPlanView[]): SyncPlanView => ({
  disclosures: plans.flatMap(({ disclosures }) => disclosures),
  changes: plans.flatMap(({ changes }) => changes),
})

/**
 * Asks once for everything that is not granted. A refusal does not stop the rest. A dry run asks nothing and plans what an
 * agreement would change.
 */
const askForGrants = async (
  { allowHidden, dryRun, consentPrompt }: SyncRequest,
  notGranted: readonly Disclosure[],
): Promise<{ readonly agreed: readonly Disclosure[]; readonly refusal: GsdError | null }> => {
  const hidden = allowHidden ? [] : notGranted.filter((disclosure) => disclosure.hidden.length > 0)
  const open = notGranted.filter((disclosure) => !hidden.includes(disclosure))
  if (dryRun) return { agreed: open, refusal: null }
  const ask = async (): Promise<GsdError | null> => refusalOf(() => requireConsent(consentPrompt, open))
  const refusal = await ask()
  return {
    agreed: refusal === null ? open : [],
    refusal: refusal ?? (await refusalOf(() => refuseHiddenText(hidden))),
  }
}

/** The refusal of a consent, as a value. */
const refusalOf = async (work: () => Promise<void> | void): Promise<GsdError | null> => {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof GsdError && REFUSALS.has(error.code)) return error
    throw error
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['CONSENT_REQUIRED', 'CONSENT_DECLINED', 'CONSENT_HIDDEN_TEXT'])

const agreedIn = (agreed: readonly Disclosure[], { scope }: ScopePaths): Agreed =>
  new Map(agreed.filter((each) => each.scope === scope).map((each) => [each.id, canonicalJson(each)]))

/** The plan for one scope, and how to make it again, under its lock and with what the user agreed to. */
interface ScopePlan {
  readonly paths: ScopePaths
  readonly fetched: FetchedBundles
  readonly plan: SyncPlan
  readonly replan: (agreed: Agreed) => SyncPlan
}

const planScope = async (
  context: Context,
  request: SyncRequest,
  paths: ScopePaths,
  dir: string,
): Promise<ScopePlan> => {
  const fetched = await fetchMissing(context, request, paths, dir)
  const known = await loadKnownHosts(context)
  const replan = (agreed: Agreed): SyncPlan => planSync(context, { ...request, agreed }, paths, fetched, known)
  return { paths, fetched, plan: replan(new Map()), replan }
}

const applyScope = (context: Context, paths: ScopePaths, decide: () => SyncPlan): Promise<SyncPlan> =>
  runTransaction(context, paths, {
    command: 'sync',
    plan: decide,
    inputs: ({ steps }) => ({
      bundles: steps.flatMap(({ prepared, installed: { id } }) =>
        prepared === null ? [] : [{ staged: prepared.staged, to: `capabilities/${id}` }],
      ),
      texts: steps.flatMap(({ prepared, receipt, installed: { id, entry, tree } }) =>
        receipt === null || entry === null
          ? []
          : [
              {
                text: receiptText(id, entry.digest, receipt, gatesInText((prepared?.staged ?? tree)?.manifest ?? null)),
                to: receiptTarget(id),
              },
            ],
      ),
      copies: steps.flatMap(({ preserved }) => preserved.copies),
    }),
  })
