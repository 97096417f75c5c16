import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { errorFromDiagnostic } from '../diagnostic.ts'
import { requireKnownHost } from '../host/runtimes/known-hosts.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { isErrno } from '../platform/disk-error.ts'
import type { Change } from '../state/change.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readScopeState } from '../state/scope-state.ts'
import { runTransaction } from '../transaction/run-transaction.ts'
import { explainNotInstalled } from './not-installed.ts'
import { planRemove, type RemovePlan, type RemoveRequest } from './plan/plan-remove.ts'

export interface RemoveAnswer {
  readonly removed: readonly { readonly id: string; readonly version: string; readonly scope: ScopeName }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  /** Files that were added or edited, left in place. */
  readonly kept: readonly string[]
  /** Capabilities installed as requirements that nothing requires any more; they stay. */
  readonly noLongerNeeded: readonly string[]
  /** Only with `--dry-run`: what would have been done. */
  readonly plan?: { readonly changes: readonly Change[] }
  readonly warnings: readonly Diagnostic[]
}

/**
 * Removes capabilities, all or none: what the ledger records and nothing else (contract, `capability remove`).
 * @throws STATE_NOT_INSTALLED, REGISTRY_REQUIRED_BY, HOST_*, STATE_*, LOCK_*
 */
export const remove = async (context: Context, request: RemoveRequest): Promise<RemoveAnswer> => {
  const paths = scopePathsOf(context, request.scope)
  if (request.runtime !== null) await requireRecordedOrKnownHost(context, request, request.runtime)
  return explainNotInstalled(context, paths.scope, () => removeFrom(context, request, paths))
}

/** A recorded host can be removed even if no descriptor for it exists any more. */
const requireRecordedOrKnownHost = async (
  context: Context,
  { ids, scope }: RemoveRequest,
  runtime: string,
): Promise<void> => {
  const { hostRecords, ledger } = readScopeState(context, scopePathsOf(context, scope), { needsGrants: false })
  const recorded = [...hostRecords.files.values()].some((record) => record.runtime === runtime)
  if (recorded || ids.some((id) => ledger.capabilities.get(id)?.runtimes.includes(runtime))) return
  requireKnownHost(await loadKnownHosts(context), runtime)
}

const removeFrom = async (context: Context, request: RemoveRequest, paths: ScopePaths): Promise<RemoveAnswer> => {
  const decide = async (): Promise<RemovePlan> => {
    const plan = planRemove(context, request, paths)
    if (request.runtime === null && !request.force) await refuseRequired(context, request)
    return plan
  }
  if (request.dryRun) {
    const plan = await decide()
    return { ...removeAnswer(plan, request), plan: { changes: plan.changes } }
  }
  const plan = await runTransaction(context, paths, {
    command: `remove ${request.ids.join(' ')}`,
    plan: decide,
    inputs: ({ preservedCopies }) => ({ copies: preservedCopies }),
  })
  return removeAnswer(plan, request)
}

const refuseRequired = async (context: Context, { ids, scope }: RemoveRequest): Promise<void> => {
  if (areOnlyBundles(context, ids, scope)) return
  const [{ loadRegistryFor }, { checkRemoval }] = await Promise.all([
    import('../overlay/load-registry.ts'),
    import('../registry/check-change.ts'),
  ])
  const [first, ...more] = checkRemoval((await loadRegistryFor(context)).input, ids, scope)
  if (first === undefined) return
  const afar = [first, ...more].filter((each) => each.scope !== undefined && each.scope !== scope)
  const hint =
    afar.length === 0
      ? 'remove those as well, in the same command, or add --force'
      : `gsd capability remove ${afar.map(({ id }) => id).join(' ')} --scope ${afar[0]?.scope}, before this; or add --force`
  throw errorFromDiagnostic({ ...first, hint }, 'REGISTRY_REQUIRED_BY', { diagnostics: [first, ...more] })
}

const removeAnswer = (plan: RemovePlan, { runtime, scope }: RemoveRequest): RemoveAnswer => ({
  removed: runtime === null ? plan.entries.map(({ id, version }) => ({ id, version, scope })) : [],
  unwired: plan.unwired,
  kept: plan.preservedPaths,
  noLongerNeeded: plan.noLongerNeeded,
  warnings: plan.warnings,
})

/** Whether no other bundle exists in any scope, so that none can require one of these. */
export const areOnlyBundles = (context: Context, ids: readonly string[], scope: ScopeName): boolean =>
  context.firstParty === null &&
  scopesOf(context).every((paths) =>
    bundleNames(context, paths).every((name) => paths.scope === scope && ids.includes(name)),
  )

/** A folder that cannot be listed counts as not empty. */
const bundleNames = ({ disk }: Context, { capabilities }: ScopePaths): readonly string[] => {
  try {
    return disk.readdirSync(capabilities)
  } catch (error) {
    return isErrno(error, 'ENOENT') ? [] : ['']
  }
}
