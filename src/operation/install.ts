import { join } from 'node:path'
import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadWorld } from '../overlay/load-world.ts'
import { quote } from '../redact.ts'
import { receiptTarget, receiptText } from '../store/receipts.ts'
import type { ScopePlaces } from '../store/places.ts'
import { canonicalJson } from '../trust/signature.ts'
import { checkAdditions } from './check-additions.ts'
import type { ConsentDesk, InstallAnswer, InstalledRow, InstallRequest } from './install-request.ts'
import type { InstallStep } from './install-step.ts'
import { planInstall, type InstallPlan } from './plan-install.ts'
import { prepare, type Prepared } from './prepare.ts'
import { commit } from './commit.ts'
import { isThere } from './is-there.ts'
import { placesOf } from './scope-places.ts'
import { withStaging } from './staging.ts'

/**
 * Installs capabilities, all of them or none (contract, `capability install`): parse → resolve → fetch → verify → audit →
 * unpack → read → gate → compose → disclose → consent → plan → apply → record. Before consent only the cache changes;
 * nothing a user owns is touched before everything that can refuse has refused.
 * @throws GsdError of any family; nothing is left behind then
 */
export const install = async (context: Context, request: InstallRequest): Promise<InstallAnswer> => {
  checkRequest(request)
  const places = placesOf(context, request.scope)
  return withStaging(context, async ({ dir }) => {
    const prepared = await prepareAll(context, request, places, dir)
    const compose = async () =>
      checkAdditions(await loadWorld(context, { firstParty: context.firstParty }), prepared, places, context.now())
    const seen = ledgerMarks(context)
    const composed = await compose()
    const outlook = planInstall(context, request, places, prepared)
    const warnings = [...outlook.warnings, ...composed]
    if (request.dryRun)
      return {
        ...answerOf(outlook, places, warnings),
        plan: { disclosures: outlook.disclosures, changes: outlook.changes },
      }
    await requireConsent(request.desk, outlook)
    if (outlook.changes.length === 0) return answerOf(outlook, places, warnings)
    const done = await commit(context, places, {
      command: `install ${prepared.map(({ manifest }) => manifest.id).join(' ')}`,
      plan: async () => {
        if (ledgerMarks(context) !== seen) await compose()
        return requireSame(outlook, planInstall(context, request, places, prepared))
      },
      brings: ({ steps }) => ({
        bundles: steps.filter(({ decision }) => decision.place).map(bundleOf),
        texts: steps.map(receiptOf),
      }),
    })
    return answerOf(done, places, warnings)
  })
}

/** Changes whenever something was installed or removed in any scope: a ledger is never written in place. */
const ledgerMarks = (context: Context): string =>
  scopesOf(context)
    .map(({ ledger }) => {
      if (!isThere(context.disk, ledger)) return '-'
      const { ino, size, mtimeMs, ctimeMs } = context.disk.statSync(ledger)
      return [ino, size, mtimeMs, ctimeMs].join(' ')
    })
    .join(', ')

const checkRequest = ({ specs, integrity, settings, runtimes }: InstallRequest): void => {
  if (integrity !== null && specs.length !== 1) {
    throw conflict(`--integrity goes with exactly one spec, and there are ${specs.length}`, 'install them one by one')
  }
  if (settings !== null && specs.length !== 1) {
    throw conflict(`--settings goes with exactly one spec, and there are ${specs.length}`, 'install them one by one')
  }
  if (settings !== null && runtimes.length !== 1) {
    throw conflict(
      `--settings goes with exactly one --runtime, and there are ${runtimes.length}`,
      'name the host whose settings file it is: --runtime claude',
    )
  }
}

const conflict = (message: string, hint: string): GsdError => new GsdError('USAGE_CONFLICT', message, { hint })

const prepareAll = async (
  context: Context,
  request: InstallRequest,
  places: ScopePlaces,
  dir: string,
): Promise<readonly Prepared[]> => {
  const prepared: Prepared[] = []
  for (const [index, text] of request.specs.entries()) {
    const { integrity, allowHttp } = request
    prepared.push(await prepare(context, { text, places, integrity, allowHttp, into: join(dir, `${index}`) }))
  }
  for (const { manifest, recorded } of prepared) {
    const same = prepared.filter((other) => other.manifest.id === manifest.id)
    if (same.length === 1) continue
    throw new GsdError(
      'USAGE_CONFLICT',
      `${same.length} of the specs are the capability ${quote(manifest.id)}: ${same.map((each) => quote(each.recorded)).join(', ')}`,
      {
        hint: `leave all but one out, for example ${recorded}`,
      },
    )
  }
  return prepared
}

const requireConsent = async (desk: ConsentDesk, { disclosures }: InstallPlan): Promise<void> => {
  if (disclosures.length === 0) return
  desk.disclose(disclosures)
  if (desk.yes) return
  const ids = disclosures.map(({ id }) => quote(id)).join(', ')
  if (desk.ask === null) {
    throw new GsdError('CONSENT_REQUIRED', `installing ${ids} needs your consent, and there is no terminal to ask on`, {
      hint: 'read what is disclosed, then add --yes',
      details: { disclosure: disclosures },
    })
  }
  if (await desk.ask()) return
  throw new GsdError('CONSENT_DECLINED', `you did not consent to ${ids}; nothing was changed`, {
    details: { disclosure: disclosures },
  })
}

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

const answerOf = (plan: InstallPlan, places: ScopePlaces, warnings: readonly Diagnostic[]): InstallAnswer => ({
  installed: plan.steps.filter(({ unchanged }) => !unchanged).map((step) => rowOf(step, places)),
  unchanged: plan.steps.filter(({ unchanged }) => unchanged).map(({ prepared }) => prepared.manifest.id),
  warnings: [...warnings, ...plan.steps.flatMap(unwiredOf)],
})

const rowOf = ({ prepared, entry, wiring }: InstallStep, places: ScopePlaces): InstalledRow => ({
  id: prepared.manifest.id,
  version: entry.version,
  scope: places.scope,
  digest: entry.digest,
  spec: entry.spec,
  resolved: entry.resolved,
  wired: wiring.wired,
  notWired: wiring.notWired,
})

const unwiredOf = ({ prepared: { manifest }, wiring, unchanged }: InstallStep): Diagnostic[] => {
  const hooks = manifest.role === 'feature' ? (manifest.hooks ?? []).length : 0
  if (unchanged || hooks === 0 || wiring.wired.length > 0 || wiring.notWired.length > 0) return []
  return [
    diagnostic(
      'info',
      'HOST_NOT_WIRED',
      `${quote(manifest.id)} has ${hooks} hook${hooks === 1 ? '' : 's'}, and none is written into any host`,
      {
        id: manifest.id,
        hint: 'to wire them, add --runtime with the host, for example --runtime claude',
      },
    ),
  ]
}
