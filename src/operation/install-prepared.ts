import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadWorld } from '../overlay/load-world.ts'
import type { World } from '../overlay/world.ts'
import { onDisk } from '../store/disk-error.ts'
import { isThere } from '../store/is-there.ts'
import { withLock } from '../store/lock.ts'
import type { ScopePlaces } from '../store/places.ts'
import { receiptTarget, receiptText } from '../store/receipts.ts'
import { canonicalJson } from '../trust/signature.ts'
import type { ConsentDesk } from './consent/consent-desk.ts'
import { refuseHidden } from './consent/refuse-hidden.ts'
import { requireConsent } from './consent/require-consent.ts'
import { warnNames } from './consent/warn-names.ts'
import { checkAdditions } from './plan/check-additions.ts'
import type { InstallRequest } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import { planInstall, type InstallPlan } from './plan/plan-install.ts'
import type { Prepared } from './prepare/prepare.ts'
import { commit } from './transaction/commit.ts'
import { changingScopes } from './transaction/interrupted.ts'
import { recoverScope } from './transaction/recover-first.ts'
import { hostsHere } from './wiring/hosts-here.ts'

export interface InstallOutcome {
  /** Carried out, or with `dryRun` what would have been. */
  readonly plan: InstallPlan
  readonly warnings: readonly Diagnostic[]
}

/** What an install would do, looked at without doing it. */
interface Outlook {
  readonly plan: InstallPlan
  /** What composing the set as it would be finds worth saying. */
  readonly composed: readonly Diagnostic[]
  /** The same once more, on what is there then. */
  readonly again: () => Promise<InstallPlan>
}

interface InstallWay {
  readonly places: ScopePlaces
  readonly command: string
}

/** Everything that can refuse before consent is asked for: compose → plan. Writes nothing. @throws REGISTRY_*, HOST_*, STATE_* */
export const lookAhead = async (
  context: Context,
  request: InstallRequest,
  prepared: readonly Prepared[],
  { places }: Pick<InstallWay, 'places'>,
): Promise<Outlook> => {
  const compose = async () => {
    const world = await loadWorld(context)
    return [...checkAdditions(world, prepared, places, context.now()), ...namesIn(world, prepared)]
  }
  const known = await hostsHere(context)
  const seen = ledgerMarks(context)
  const composed = await compose()
  const decide = (): InstallPlan => planInstall(context, request, places, prepared, known)
  const plan = await onceSettled(context, request, places, decide)
  if (!request.allowHidden) refuseHidden(plan.steps.filter(isNew).map(({ disclosure }) => disclosure))
  const again = async (): Promise<InstallPlan> => {
    if (ledgerMarks(context) !== seen) await compose()
    return decide()
  }
  return { plan, composed, again }
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
  { places, command }: InstallWay,
): Promise<InstallOutcome> => {
  const { plan: outlook, composed, again } = await lookAhead(context, request, prepared, { places })
  const warnings = [...outlook.warnings, ...composed]
  if (request.dryRun) return { plan: outlook, warnings }
  for (const finding of composed) if (outlook.disclosures.length > 0 && isAboutNames(finding)) tell(context, finding)
  await requireConsent(request.desk, outlook.disclosures)
  if (outlook.changes.length === 0) return { plan: outlook, warnings }
  const plan = await commit(context, places, {
    command: `${command} ${prepared.map(({ manifest }) => manifest.id).join(' ')}`,
    plan: async () => requireDisclosed(request.desk, outlook, await again()),
    brings: ({ steps }) => ({
      bundles: steps.filter(({ decision }) => decision.place).map(bundleOf),
      texts: steps.map(receiptOf),
      copies: steps.flatMap(({ decision, survivors }) => (decision.place ? survivors.copies : [])),
    }),
  })
  return { plan, warnings }
}

const namesIn = ({ input }: World, prepared: readonly Prepared[]): Diagnostic[] =>
  warnNames(
    input.firstParty.map(({ manifest }) => manifest),
    prepared.map(({ manifest }) => manifest),
  )

/** Whoever is asked has to have read it before. */
const tell = ({ report }: Context, finding: Diagnostic): void => report({ kind: 'warning', diagnostic: finding })
const isAboutNames = ({ code }: Diagnostic): boolean => code === 'CONSENT_LOOK_ALIKE'

/** Somebody who let exactly this in did so with everything that is in it. */
const isNew = ({ prepared, consent: { before } }: InstallStep): boolean => before?.digest !== prepared.digest

/** Changes whenever something was installed or removed in any scope: a ledger is never written in place. */
const ledgerMarks = (context: Context): string =>
  scopesOf(context)
    .map(({ ledger }) => {
      if (!isThere(context.disk, ledger)) return '-'
      const { ino, size, mtimeMs, ctimeMs } = onDisk('look at', ledger, () => context.disk.statSync(ledger))
      return [ino, size, mtimeMs, ctimeMs].join(' ')
    })
    .join(', ')

/** What another process is changing right now can look like a fault: then it is looked at again when that has ended. */
const onceSettled = async (
  context: Context,
  request: InstallRequest,
  places: ScopePlaces,
  decide: () => InstallPlan,
): Promise<InstallPlan> => {
  const running = changingScopes(context).length > 0
  try {
    return decide()
  } catch (error) {
    if (!(error instanceof GsdError) || request.dryRun || !(running || changingScopes(context).length > 0)) throw error
    await withLock(context, places, () => recoverScope(context, places))
    return decide()
  }
}

/**
 * What happened since may have made less to do, and that is fine. More to consent to is shown as well where consent was
 * given in advance, and stops the operation otherwise.
 */
const requireDisclosed = (desk: ConsentDesk, shown: InstallPlan, now: InstallPlan): InstallPlan => {
  const seen = new Set(shown.disclosures.map(canonicalJson))
  const unseen = now.disclosures.filter((disclosure) => !seen.has(canonicalJson(disclosure)))
  if (unseen.length === 0) return now
  if (!desk.yes) {
    throw new GsdError('STATE_CHANGED', 'another operation changed what is installed since this one looked', {
      hint: 'run the command again to see what it would do now',
    })
  }
  desk.disclose(unseen)
  return now
}

const bundleOf = ({ prepared: { manifest, staged } }: InstallStep) => ({ staged, to: `capabilities/${manifest.id}` })

const receiptOf = ({ prepared: { manifest, digest, staged } }: InstallStep) => ({
  text: receiptText(manifest.id, digest, staged.files),
  to: receiptTarget(manifest.id),
})
