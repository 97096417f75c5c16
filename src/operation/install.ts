import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { type KnownHosts, requireKnownHost } from '../host/runtimes/known-hosts.ts'
import { expandHome } from '../host/runtimes/resolve-home.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { quote } from '../redact.ts'
import { gatesOf } from '../registry/lost-gate.ts'
import { addRequirements } from '../resolve/add-requirements.ts'
import { prepareCompatible } from '../resolve/prepare-compatible.ts'
import type { Prepared } from '../resolve/prepare.ts'
import { scopePathsOf } from '../state/config/resolve-paths.ts'
import { receiptTarget, receiptText } from '../state/receipts.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { StagingInputs } from '../transaction/fill-staging.ts'
import { runTransaction } from '../transaction/run-transaction.ts'
import { withStaging } from '../transaction/staging.ts'
import { type ConsentPrompt, requireConsent } from '../trust/consent/require-consent.ts'
import { proseDiagnostic } from '../trust/prose-diagnostic.ts'
import { readCode, readProse } from '../trust/read-code.ts'
import { canonicalJson } from '../trust/signature.ts'
import { chooseRuntimes } from './choose-hosts.ts'
import { installAnswer } from './install-answer.ts'
import type { InstallAnswer, InstallRequest, PlanView } from './plan/install-request.ts'
import type { InstallPlan } from './plan/plan-install.ts'
import { preflight } from './plan/preflight.ts'

/**
 * Installs capabilities, all of them or none (contract, `capability install`). Before consent only the cache changes;
 * nothing a user owns is touched before everything that can refuse has refused.
 * @throws GsdError of any family; nothing is left behind then
 */
export const install = async (context: Context, typed: InstallRequest): Promise<InstallAnswer> => {
  const known = await loadKnownHosts(context)
  const request = checkRequest(context, typed, known)
  const paths = scopePathsOf(context, request.scope)
  return withStaging(context, async ({ dir }) => {
    // parse → resolve → fetch → verify → audit → unpack → read → gate
    const named = await prepareAll(context, request, paths, dir)
    const prepared = await addRequirements(context, named, { ...request, paths, dir })
    const runtimes = await chooseRuntimes(context, request, { known, paths, prepared })
    // compose → disclose → consent → plan → apply → record
    const { plan, warnings } = await installPrepared(context, { ...request, runtimes }, prepared, {
      paths,
      command: 'install',
    })
    const answer = installAnswer(plan, paths, warnings)
    return request.dryRun ? { ...answer, plan: await planView(plan) } : answer
  })
}

/** A plan with the code that needs consent, for `--dry-run`. */
export const planView = async ({
  disclosures,
  changes,
}: Pick<PlanView, 'disclosures' | 'changes'>): Promise<PlanView> => {
  const code = await Promise.all(disclosures.map((disclosure) => readCode(disclosure)))
  return { disclosures, changes, code }
}

export interface InstallOutcome {
  /** Carried out, or with `dryRun` what would have been. */
  readonly plan: InstallPlan
  readonly warnings: readonly Diagnostic[]
}

interface InstallTarget {
  readonly paths: ScopePaths
  /** Verb for the journal. */
  readonly command: 'install' | 'update'
}

/**
 * The second half of the walk, for install and update. Under the lock everything is decided again on the current state;
 * only what was disclosed is installed.
 * @throws REGISTRY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const installPrepared = async (
  context: Context,
  request: InstallRequest,
  prepared: readonly Prepared[],
  { paths, command }: InstallTarget,
): Promise<InstallOutcome> => {
  const { plan: shown, compositionWarnings, replan } = await preflight(context, request, prepared, paths)
  const warnings = [...shown.warnings, ...compositionWarnings]
  await reportProse(context, shown)
  if (request.dryRun) return { plan: shown, warnings }
  // A look-alike name matters for the decision, so it is reported before the question.
  if (shown.disclosures.length > 0)
    for (const warning of compositionWarnings.filter(({ code }) => code === 'CONSENT_LOOK_ALIKE'))
      context.report({ kind: 'warning', diagnostic: warning })
  await requireConsent(request.consentPrompt, shown.disclosures)
  if (shown.changes.length === 0) return { plan: shown, warnings }
  const plan = await runTransaction(context, paths, {
    command: `${command} ${prepared.map(({ manifest }) => manifest.id).join(' ')}`,
    plan: async () => refuseUndisclosed(request.consentPrompt, shown, await replan()),
    inputs: stagedInputs,
  })
  return { plan, warnings }
}

/** Changed prose is listed before it is taken: an agent will obey it (security page, "Disclosure and consent"). */
const reportProse = async ({ report }: Context, { steps }: InstallPlan): Promise<void> => {
  const changed = steps.filter(({ unchanged }) => !unchanged).map(({ disclosure }) => disclosure)
  for (const { id, files } of await readProse(changed))
    report({ kind: 'warning', diagnostic: proseDiagnostic(id, files) })
}

/** With consent given in advance, new disclosures are only shown; otherwise they stop the operation. */
const refuseUndisclosed = (consentPrompt: ConsentPrompt, shown: InstallPlan, now: InstallPlan): InstallPlan => {
  const seen = new Set(shown.disclosures.map(canonicalJson))
  const unseen = now.disclosures.filter((disclosure) => !seen.has(canonicalJson(disclosure)))
  if (unseen.length === 0) return now
  if (!consentPrompt.assumeYes) {
    throw new GsdError('STATE_CHANGED', 'another operation changed what is installed in the meantime', {
      hint: 'run the command again to see what it would do now',
    })
  }
  consentPrompt.disclose(unseen)
  return now
}

const stagedInputs = ({ steps }: InstallPlan): StagingInputs => {
  const placed = steps.filter(({ decision }) => decision.placeBundle)
  return {
    bundles: placed.map(({ prepared: { manifest, staged } }) => ({ staged, to: `capabilities/${manifest.id}` })),
    texts: steps.map(({ prepared: { manifest, digest, staged } }) => ({
      text: receiptText(manifest.id, digest, staged.files, gatesOf(manifest)),
      to: receiptTarget(manifest.id),
    })),
    copies: placed.flatMap(({ preserved }) => preserved.copies),
  }
}

const prepareAll = async (
  context: Context,
  { specs, integrity, allowHttp, downgrade = null }: InstallRequest,
  paths: ScopePaths,
  dir: string,
): Promise<readonly Prepared[]> => {
  const prepared: Prepared[] = []
  for (const [index, specText] of specs.entries()) {
    const into = join(dir, `${index}`)
    prepared.push(await prepareCompatible(context, { specText, paths, integrity, allowHttp, downgrade, into }))
  }
  for (const { manifest, recordedSpec } of prepared) {
    const same = prepared.filter((other) => other.manifest.id === manifest.id)
    if (same.length === 1) continue
    const names = same.map((each) => quote(each.recordedSpec)).join(', ')
    throw conflict(
      `${same.length} of the specs name the capability ${quote(manifest.id)}: ${names}`,
      `keep one of them, for example ${recordedSpec}`,
    )
  }
  return prepared
}

/** @returns the request with the settings file as an absolute path */
const checkRequest = ({ cwd, home }: Context, request: InstallRequest, known: KnownHosts): InstallRequest => {
  const { specs, integrity, settings, runtimes } = request
  for (const id of runtimes) requireKnownHost(known, id)
  for (const [flag, value] of Object.entries({ '--integrity': integrity, '--settings': settings }))
    if (value !== null && specs.length !== 1)
      throw conflict(`${flag} needs exactly one spec, not ${specs.length}`, 'install them one by one')
  if (settings === null) return request
  if (runtimes.length !== 1)
    throw conflict(
      `--settings needs exactly one --runtime, not ${runtimes.length}`,
      'name the host of the settings file: --runtime claude',
    )
  return { ...request, settings: resolve(cwd, expandHome(settings, home)) }
}

const conflict = (message: string, hint: string): GsdError => new GsdError('USAGE_CONFLICT', message, { hint })
