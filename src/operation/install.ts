import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { hostNamed, type KnownHosts } from '../host/known-hosts.ts'
import { expandHome } from '../host/resolve-home.ts'
import { quote } from '../redact.ts'
import type { ScopePlaces } from '../store/places.ts'
import { installAnswer } from './install-answer.ts'
import { installPrepared } from './install-prepared.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import type { InstallAnswer, InstallRequest } from './plan/install-request.ts'
import { prepareFitting } from './prepare/prepare-fitting.ts'
import type { Prepared } from './prepare/prepare.ts'
import { withRequirements } from './prepare/requirements.ts'
import { withStaging } from './transaction/staging.ts'
import { hostsHere } from './wiring/hosts-here.ts'
import { offerHosts } from './wiring/offer-hosts.ts'

/**
 * Installs capabilities, all of them or none (contract, `capability install`): parse → resolve → fetch → verify → audit →
 * unpack → read → gate → compose → disclose → consent → plan → apply → record. Before consent only the cache changes;
 * nothing a user owns is touched before everything that can refuse has refused.
 * @throws GsdError of any family; nothing is left behind then
 */
export const install = async (context: Context, asked: InstallRequest): Promise<InstallAnswer> => {
  const known = await hostsHere(context)
  checkRequest(asked, known)
  const request = { ...asked, settings: asked.settings === null ? null : pathOf(context, asked.settings) }
  const places = placesOf(context, request.scope)
  return withStaging(context, async ({ dir }) => {
    const named = await prepareAll(context, request, places, dir)
    const prepared = await withRequirements(context, named, { ...request, places, dir })
    const runtimes = await hostsFor(context, request, known, places, prepared)
    const wired = { ...request, runtimes }
    const { plan, warnings } = await installPrepared(context, wired, prepared, { places, command: 'install' })
    const answer = installAnswer(plan, places, warnings)
    return request.dryRun ? { ...answer, plan: { disclosures: plan.disclosures, changes: plan.changes } } : answer
  })
}

/** Those named, or else those chosen. What is installed already keeps the hosts it was given. */
const hostsFor = async (
  context: Context,
  { runtimes, chooseHosts = null, dryRun, desk }: InstallRequest,
  known: KnownHosts,
  places: ScopePlaces,
  prepared: readonly Prepared[],
): Promise<readonly string[]> => {
  if (runtimes.length > 0 || chooseHosts === null || dryRun || desk.yes) return runtimes
  const { ledger } = readScopeState(context, places)
  if (prepared.every(({ manifest }) => ledger.capabilities.has(manifest.id))) return runtimes
  const offers = offerHosts(context, known, places, prepared)
  return offers.length === 0 ? runtimes : chooseHosts(offers)
}

const checkRequest = ({ specs, integrity, settings, runtimes }: InstallRequest, known: KnownHosts): void => {
  for (const id of runtimes) hostNamed(known, id)
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

const pathOf = ({ cwd, home }: Context, typed: string): string => resolve(cwd, expandHome(typed, home))

const conflict = (message: string, hint: string): GsdError => new GsdError('USAGE_CONFLICT', message, { hint })

const prepareAll = async (
  context: Context,
  request: InstallRequest,
  places: ScopePlaces,
  dir: string,
): Promise<readonly Prepared[]> => {
  const prepared: Prepared[] = []
  for (const [index, text] of request.specs.entries()) {
    const { integrity, allowHttp, downgrade = null } = request
    prepared.push(
      await prepareFitting(context, { text, places, integrity, allowHttp, downgrade, into: join(dir, `${index}`) }),
    )
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
