import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadWorld } from '../overlay/load-world.ts'
import type { ScopePlaces } from '../store/places.ts'
import { receiptTarget, receiptText } from '../store/receipts.ts'
import { canonicalJson } from '../trust/signature.ts'
import { checkAdditions } from './check-additions.ts'
import { commit } from './commit.ts'
import type { InstallRequest } from './install-request.ts'
import type { InstallStep } from './install-step.ts'
import { isThere } from './is-there.ts'
import { planInstall, type InstallPlan } from './plan-install.ts'
import type { Prepared } from './prepare.ts'
import { refuseHidden } from './refuse-hidden.ts'
import { requireConsent } from './require-consent.ts'
import { warnNames } from './warn-names.ts'

export interface InstallOutcome {
  /** Carried out, or with `dryRun` what would have been. */
  readonly plan: InstallPlan
  readonly warnings: readonly Diagnostic[]
}

/**
 * The second half of the walk, for install and update alike: compose → disclose → consent → plan → apply → record. What
 * was disclosed is what is committed: under the lock everything is decided again and has to come out the same.
 * @throws REGISTRY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const installPrepared = async (
  context: Context,
  request: InstallRequest,
  prepared: readonly Prepared[],
  { places, command }: { readonly places: ScopePlaces; readonly command: string },
): Promise<InstallOutcome> => {
  const compose = async () => {
    const world = await loadWorld(context)
    return [...checkAdditions(world, prepared, places, context.now()), ...warnNames(world, prepared)]
  }
  const seen = ledgerMarks(context)
  const composed = await compose()
  const outlook = planInstall(context, request, places, prepared)
  const warnings = [...outlook.warnings, ...composed]
  if (!request.allowHidden) refuseHidden(outlook.steps.filter(isNew).map(({ disclosure }) => disclosure))
  if (request.dryRun) return { plan: outlook, warnings }
  await requireConsent(request.desk, outlook.disclosures)
  if (outlook.changes.length === 0) return { plan: outlook, warnings }
  const plan = await commit(context, places, {
    command: `${command} ${prepared.map(({ manifest }) => manifest.id).join(' ')}`,
    plan: async () => {
      if (ledgerMarks(context) !== seen) await compose()
      return requireSame(outlook, planInstall(context, request, places, prepared))
    },
    brings: ({ steps }) => ({
      bundles: steps.filter(({ decision }) => decision.place).map(bundleOf),
      texts: steps.map(receiptOf),
      copies: steps.flatMap(({ decision, survivors }) => (decision.place ? survivors.copies : [])),
    }),
  })
  return { plan, warnings }
}

/** Somebody who let exactly this in did so with everything that is in it. */
const isNew = ({ prepared, consent: { before } }: InstallStep): boolean => before?.digest !== prepared.digest

/** Changes whenever something was installed or removed in any scope: a ledger is never written in place. */
const ledgerMarks = (context: Context): string =>
  scopesOf(context)
    .map(({ ledger }) => {
      if (!isThere(context.disk, ledger)) return '-'
      const { ino, size, mtimeMs, ctimeMs } = context.disk.statSync(ledger)
      return [ino, size, mtimeMs, ctimeMs].join(' ')
    })
    .join(', ')

/** What was shown is what is done: anything else that happened meanwhile stops here. */
const requireSame = (shown: InstallPlan, now: InstallPlan): InstallPlan => {
  if (essence(shown) === essence(now)) return now
  throw new GsdError('STATE_CHANGED', 'another operation changed what is installed since this one looked', {
    hint: 'run the command again to see what it would do now',
  })
}

const essence = ({ disclosures, steps }: InstallPlan): string =>
  canonicalJson({ disclosures, decisions: steps.map(({ decision, entry }) => ({ decision, entry })) })

const bundleOf = ({ prepared: { manifest, staged } }: InstallStep) => ({ staged, to: `capabilities/${manifest.id}` })

const receiptOf = ({ prepared: { manifest, digest, staged } }: InstallStep) => ({
  text: receiptText(manifest.id, digest, staged.files),
  to: receiptTarget(manifest.id),
})
