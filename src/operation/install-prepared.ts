import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import type { LoadedRegistry } from '../overlay/loaded-registry.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import { pathExists } from '../platform/path-exists.ts'
import type { Prepared } from '../resolve/prepare.ts'
import { gatesOf } from '../registry/lost-gate.ts'
import { scopesOf } from '../state/config/resolve-paths.ts'
import { receiptTarget, receiptText } from '../state/receipts.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { withLock } from '../transaction/lock.ts'
import { recoverScope } from '../transaction/recover-scopes.ts'
import { runTransaction } from '../transaction/run-transaction.ts'
import { journaledScopes } from '../transaction/unfinished-scopes.ts'
import { refuseHiddenText } from '../trust/consent/refuse-hidden-text.ts'
import type { ConsentPrompt } from '../trust/consent/require-consent.ts'
import { requireConsent } from '../trust/consent/require-consent.ts'
import { checkLookAlikes } from '../trust/look-alike-warnings.ts'
import { canonicalJson } from '../trust/signature.ts'
import { checkAdditions } from './plan/check-additions.ts'
import type { InstallRequest } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import { type InstallPlan, planInstall } from './plan/plan-install.ts'

export interface InstallOutcome {
  /** Carried out, or with `dryRun` what would have been. */
  readonly plan: InstallPlan
  readonly warnings: readonly Diagnostic[]
}

/** What an install would do, looked at without doing it. */
interface Preflight {
  readonly plan: InstallPlan
  /** What composing the set as it would be finds worth saying. */
  readonly compositionWarnings: readonly Diagnostic[]
  /** The same once more, on what is there then. */
  readonly replan: () => Promise<InstallPlan>
}

interface InstallTarget {
  readonly paths: ScopePaths
  readonly command: string
}

/** Everything that can refuse before consent is asked for: compose → plan. Writes nothing. @throws REGISTRY_*, HOST_*, STATE_* */
export const preflight = async (
  context: Context,
  request: InstallRequest,
  prepared: readonly Prepared[],
  { paths }: Pick<InstallTarget, 'paths'>,
): Promise<Preflight> => {
  const compose = async () => {
    const world = await loadRegistryFor(context)
    return [...checkAdditions(world, prepared, paths, context.now()), ...nameWarnings(world, prepared)]
  }
  const known = await loadKnownHosts(context)
  const seen = ledgerStamps(context)
  const compositionWarnings = await compose()
  const decide = (): InstallPlan => planInstall(context, request, paths, prepared, known)
  const plan = await retryAfterRecovery(context, request, paths, decide)
  if (!request.allowHidden) refuseHiddenText(plan.steps.filter(isNewContent).map(({ disclosure }) => disclosure))
  const replan = async (): Promise<InstallPlan> => {
    if (ledgerStamps(context) !== seen) await compose()
    return decide()
  }
  return { plan, compositionWarnings, replan }
}

/**
 * The second half of the walk, for install and update alike: compose → disclose → consent → plan → apply → record. Under
 * the lock everything is decided again, on what is there then; nothing is let in that was not disclosed.
 * @throws REGISTRY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const installPrepared = async (
  context: Context,
  request: InstallRequest,
  prepared: readonly Prepared[],
  { paths, command }: InstallTarget,
): Promise<InstallOutcome> => {
  const { plan: outlook, compositionWarnings, replan } = await preflight(context, request, prepared, { paths })
  const warnings = [...outlook.warnings, ...compositionWarnings]
  if (request.dryRun) return { plan: outlook, warnings }
  for (const finding of compositionWarnings)
    if (outlook.disclosures.length > 0 && isNameWarning(finding)) reportWarning(context, finding)
  await requireConsent(request.consentPrompt, outlook.disclosures)
  if (outlook.changes.length === 0) return { plan: outlook, warnings }
  const plan = await runTransaction(context, paths, {
    command: `${command} ${prepared.map(({ manifest }) => manifest.id).join(' ')}`,
    plan: async () => refuseUndisclosed(request.consentPrompt, outlook, await replan()),
    inputs: ({ steps }) => ({
      bundles: steps.filter(({ decision }) => decision.placeBundle).map(bundleOf),
      texts: steps.map(receiptOf),
      copies: steps.flatMap(({ decision, preserved }) => (decision.placeBundle ? preserved.copies : [])),
    }),
  })
  return { plan, warnings }
}

const nameWarnings = ({ input }: LoadedRegistry, prepared: readonly Prepared[]): Diagnostic[] =>
  checkLookAlikes(
    input.firstParty.map(({ manifest }) => manifest),
    prepared.map(({ manifest }) => manifest),
  )

/** Whoever is asked has to have read it before. */
const reportWarning = ({ report }: Context, finding: Diagnostic): void =>
  report({ kind: 'warning', diagnostic: finding })
const isNameWarning = ({ code }: Diagnostic): boolean => code === 'CONSENT_LOOK_ALIKE'

/** Somebody who let exactly this in did so with everything that is in it. */
const isNewContent = ({ prepared, consent: { before } }: InstallStep): boolean => before?.digest !== prepared.digest

/** Changes whenever something was installed or removed in any scope: a ledger is never written in place. */
const ledgerStamps = (context: Context): string =>
  scopesOf(context)
    .map(({ ledger }) => {
      if (!pathExists(context.disk, ledger)) return '-'
      const { ino, size, mtimeMs, ctimeMs } = withDiskErrors('look at', ledger, () => context.disk.statSync(ledger))
      return [ino, size, mtimeMs, ctimeMs].join(' ')
    })
    .join(', ')

/** What another process is changing right now can look like a fault: then it is looked at again when that has ended. */
const retryAfterRecovery = async (
  context: Context,
  request: InstallRequest,
  paths: ScopePaths,
  decide: () => InstallPlan,
): Promise<InstallPlan> => {
  const running = journaledScopes(context).length > 0
  try {
    return decide()
  } catch (error) {
    if (!(error instanceof GsdError) || request.dryRun || !(running || journaledScopes(context).length > 0)) throw error
    await withLock(context, paths, () => recoverScope(context, paths))
    return decide()
  }
}

/**
 * What happened since may have made less to do, and that is fine. More to consent to is shown as well where consent was
 * given in advance, and stops the operation otherwise.
 */
const refuseUndisclosed = (consentPrompt: ConsentPrompt, shown: InstallPlan, now: InstallPlan): InstallPlan => {
  const seen = new Set(shown.disclosures.map(canonicalJson))
  const unseen = now.disclosures.filter((disclosure) => !seen.has(canonicalJson(disclosure)))
  if (unseen.length === 0) return now
  if (!consentPrompt.assumeYes) {
    throw new GsdError('STATE_CHANGED', 'another operation changed what is installed since this one looked', {
      hint: 'run the command again to see what it would do now',
    })
  }
  consentPrompt.disclose(unseen)
  return now
}

const bundleOf = ({ prepared: { manifest, staged } }: InstallStep) => ({ staged, to: `capabilities/${manifest.id}` })

const receiptOf = ({ prepared: { manifest, digest, staged } }: InstallStep) => ({
  text: receiptText(manifest.id, digest, staged.files, gatesOf(manifest)),
  to: receiptTarget(manifest.id),
})
