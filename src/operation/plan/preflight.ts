import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic, errorFromDiagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { loadKnownHosts } from '../../host/wiring/load-known-hosts.ts'
import { StatTracker } from '../../overlay/cache/stat-tracker.ts'
import { loadRegistryFor } from '../../overlay/load-registry.ts'
import type { LoadedRegistry } from '../../overlay/loaded-registry.ts'
import { readFragments } from '../../overlay/read-fragments.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import { pathExists } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { checkAddition } from '../../registry/check-change.ts'
import { asDiagnostic, type RegistryFinding } from '../../registry/compose.ts'
import type { Candidate } from '../../registry/registry.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import { scopesOf } from '../../state/config/resolve-paths.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { withLock } from '../../transaction/lock.ts'
import { recoverScope } from '../../transaction/recover.ts'
import { journaledScopes } from '../../transaction/unfinished-scopes.ts'
import { refuseHiddenText } from '../../trust/consent/refuse-hidden-text.ts'
import { checkLookAlikes } from '../../trust/look-alike-warnings.ts'
import type { InstallRequest } from './install-request.ts'
import type { InstallStep } from './install-step.ts'
import { type InstallPlan, planInstall } from './plan-install.ts'

/** What an install would do, decided without changing anything. */
export interface Preflight {
  readonly plan: InstallPlan
  /** Warnings about the composed set. */
  readonly compositionWarnings: readonly Diagnostic[]
  /** Decides again on the current state; called under the lock. */
  readonly replan: () => Promise<InstallPlan>
}

/** Everything that can refuse before consent is asked for: compose → plan. Writes nothing. @throws REGISTRY_*, HOST_*, STATE_* */
export const preflight = async (
  context: Context,
  request: InstallRequest,
  prepared: readonly Prepared[],
  paths: ScopePaths,
): Promise<Preflight> => {
  const compose = async () => checkAdditions(context, await loadRegistryFor(context), prepared, paths)
  const known = await loadKnownHosts(context)
  const stamps = ledgerStamps(context)
  const compositionWarnings = await compose()
  const decide = (): InstallPlan => planInstall(context, request, paths, prepared, known)
  const plan = await retryAfterRecovery(context, request, paths, decide)
  if (!request.allowHidden) refuseHiddenText(plan.steps.filter(isNewContent).map(({ disclosure }) => disclosure))
  const replan = async (): Promise<InstallPlan> => {
    if (ledgerStamps(context) !== stamps) await compose()
    return decide()
  }
  return { plan, compositionWarnings, replan }
}

/**
 * Composes the set that would result, with the function that loads it, so that what installs also loads.
 * @returns warnings
 * @throws REGISTRY_* and OVERLAY_FRAGMENT: the first finding's code, all of them in `details.diagnostics`
 */
const checkAdditions = (
  context: Context,
  { input }: LoadedRegistry,
  prepared: readonly Prepared[],
  { scope }: ScopePaths,
): readonly Diagnostic[] => {
  const tracker = new StatTracker(context.now())
  const candidates = prepared.map((each): Candidate => ({ ...candidateOf(tracker, each), origin: scope }))
  const findings = checkAddition(input, candidates, scope).map((finding) => asInstallFinding(finding, prepared))
  const first = findings.find(({ severity }) => severity === 'error')
  if (first !== undefined) throw errorFromDiagnostic(first, 'OVERLAY_INVALID', { diagnostics: findings })
  const firstParty = input.firstParty.map(({ manifest }) => manifest)
  const fresh = prepared.map(({ manifest }) => manifest)
  return [...findings, ...checkLookAlikes(firstParty, fresh)]
}

/** The staging folder is gone by the time a finding is read, so a finding does not name it. */
const asInstallFinding = (finding: RegistryFinding, prepared: readonly Prepared[]): Diagnostic => {
  const { file, line: _line, column: _column, ...rest } = finding
  if (file === undefined || !prepared.some(({ staged }) => file.startsWith(`${staged.dir}/`)))
    return asDiagnostic(finding)
  const { skipped } = finding
  if (finding.severity !== 'error' || skipped === undefined) return asDiagnostic(rest)
  const { code, severity: _severity, message: _message, ...more } = asDiagnostic(rest)
  return diagnostic('error', code, `${skipped.name} cannot be installed: ${skipped.reason}`, {
    ...more,
    hint: skipped.remedy ?? CONFLICT_HINT,
  })
}

const CONFLICT_HINT = 'remove the capability it conflicts with, or ask its author to change it'

const candidateOf = (tracker: StatTracker, { manifest, staged }: Prepared): Omit<Candidate, 'origin'> => {
  const fragments = readFragments(tracker, staged.dir, manifest)
  if ('texts' in fragments) return { manifest, dir: staged.dir, fragments: fragments.texts }
  throw new GsdError('OVERLAY_FRAGMENT', `${quote(manifest.id)} cannot be installed: ${fragments.reason}`, {
    hint: 'its author has to fix it; gsd capability validate shows every error with its place',
    details: { path: fragments.location?.path },
  })
}

/** The user consented to exactly this content before, hidden text included. */
const isNewContent = ({ prepared, consent: { before } }: InstallStep): boolean => before?.digest !== prepared.digest

/** Changes with every install or remove in any scope: a ledger is always replaced, never written in place. */
const ledgerStamps = (context: Context): string =>
  scopesOf(context)
    .map(({ ledger }) => {
      if (!pathExists(context.disk, ledger)) return '-'
      const { ino, size, mtimeMs, ctimeMs } = withDiskErrors('read', ledger, () => context.disk.statSync(ledger))
      return [ino, size, mtimeMs, ctimeMs].join(' ')
    })
    .join(', ')

/** A half-done change of another process can look like an error, so decide again once that process has ended. */
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
