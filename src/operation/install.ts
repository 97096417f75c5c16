import { join, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { requireKnownHost, type KnownHosts } from '../host/runtimes/known-hosts.ts'
import { expandHome } from '../host/runtimes/resolve-home.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { quote } from '../redact.ts'
import { addRequirements } from '../resolve/add-requirements.ts'
import { prepareCompatible } from '../resolve/prepare-compatible.ts'
import type { Prepared } from '../resolve/prepare.ts'
import { scopePathsOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readScopeState } from '../state/scope-state.ts'
import { withStaging } from '../transaction/staging.ts'
import { installAnswer } from './install-answer.ts'
import { installPrepared } from './install-prepared.ts'
import { detectHosts } from './plan/detect-hosts.ts'
import type { InstallAnswer, InstallRequest } from './plan/install-request.ts'

/**
 * Installs capabilities, all of them or none (contract, `capability install`): parse → resolve → fetch → verify → audit →
 * unpack → read → gate → compose → disclose → consent → plan → apply → record. Before consent only the cache changes;
 * nothing a user owns is touched before everything that can refuse has refused.
 * @throws GsdError of any family; nothing is left behind then
 */
export const install = async (context: Context, asked: InstallRequest): Promise<InstallAnswer> => {
  const known = await loadKnownHosts(context)
  checkRequest(asked, known)
  const request = { ...asked, settings: asked.settings === null ? null : resolveTypedPath(context, asked.settings) }
  const paths = scopePathsOf(context, request.scope)
  return withStaging(context, async ({ dir }) => {
    const named = await prepareAll(context, request, paths, dir)
    const prepared = await addRequirements(context, named, { ...request, paths, dir })
    const runtimes = await chooseRuntimes(context, request, known, paths, prepared)
    const wired = { ...request, runtimes }
    const { plan, warnings } = await installPrepared(context, wired, prepared, { paths, command: 'install' })
    const answer = installAnswer(plan, paths, warnings)
    return request.dryRun ? { ...answer, plan: { disclosures: plan.disclosures, changes: plan.changes } } : answer
  })
}

/** Those named, or else those chosen. What is installed already keeps the hosts it was given. */
const chooseRuntimes = async (
  context: Context,
  { runtimes, chooseHosts = null, dryRun, consentPrompt }: InstallRequest,
  known: KnownHosts,
  paths: ScopePaths,
  prepared: readonly Prepared[],
): Promise<readonly string[]> => {
  if (runtimes.length > 0 || chooseHosts === null || dryRun || consentPrompt.assumeYes) return runtimes
  const { ledger } = readScopeState(context, paths)
  if (prepared.every(({ manifest }) => ledger.capabilities.has(manifest.id))) return runtimes
  const offers = detectHosts(context, known, paths, prepared)
  return offers.length === 0 ? runtimes : chooseHosts(offers)
}

const checkRequest = ({ specs, integrity, settings, runtimes }: InstallRequest, known: KnownHosts): void => {
  for (const id of runtimes) requireKnownHost(known, id)
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

const resolveTypedPath = ({ cwd, home }: Context, typed: string): string => resolve(cwd, expandHome(typed, home))

const conflict = (message: string, hint: string): GsdError => new GsdError('USAGE_CONFLICT', message, { hint })

const prepareAll = async (
  context: Context,
  request: InstallRequest,
  paths: ScopePaths,
  dir: string,
): Promise<readonly Prepared[]> => {
  const prepared: Prepared[] = []
  for (const [index, specText] of request.specs.entries()) {
    const { integrity, allowHttp, downgrade = null } = request
    prepared.push(
      await prepareCompatible(context, {
        specText,
        paths,
        integrity,
        allowHttp,
        downgrade,
        into: join(dir, `${index}`),
      }),
    )
  }
  for (const { manifest, recordedSpec } of prepared) {
    const same = prepared.filter((other) => other.manifest.id === manifest.id)
    if (same.length === 1) continue
    throw new GsdError(
      'USAGE_CONFLICT',
      `${same.length} of the specs are the capability ${quote(manifest.id)}: ${same.map((each) => quote(each.recordedSpec)).join(', ')}`,
      {
        hint: `leave all but one out, for example ${recordedSpec}`,
      },
    )
  }
  return prepared
}
