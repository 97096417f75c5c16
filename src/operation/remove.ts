import type { Context } from '../context.ts'
import { errorOfDiagnostic } from '../diagnostic-error.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { hostNamed } from '../host/known-hosts.ts'
import type { Change } from '../store/journal-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { knowingWhatIs } from './installed/not-installed.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import { planRemove, type RemovePlan, type RemoveRequest } from './plan/plan-remove.ts'
import { standAlone } from './stand-alone.ts'
import { commit } from './transaction/commit.ts'
import { hostsHere } from './wiring/hosts-here.ts'

export interface RemoveAnswer {
  readonly removed: readonly { readonly id: string; readonly version: string; readonly scope: ScopeName }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  /** Files that are not the capability's own or were edited, left where they are. */
  readonly kept: readonly string[]
  /** Capabilities that came along as requirements and that nothing requires any more; they stay. */
  readonly noLongerNeeded: readonly string[]
  /** Only with `--dry-run`: what would have been done. */
  readonly plan?: { readonly changes: readonly Change[] }
  readonly warnings: readonly Diagnostic[]
}

/**
 * Takes capabilities away, all of them or none: what the ledger records and nothing else (contract, `capability remove`).
 * @throws STATE_NOT_INSTALLED, REGISTRY_REQUIRED_BY, HOST_*, STATE_*, LOCK_*
 */
export const remove = async (context: Context, request: RemoveRequest): Promise<RemoveAnswer> => {
  const places = placesOf(context, request.scope)
  if (request.runtime !== null) await requireHost(context, request, request.runtime)
  return knowingWhatIs(context, places.scope, () => removeFrom(context, request, places))
}

/** A host that is on record can be left also when nobody describes it any more. */
const requireHost = async (context: Context, { ids, scope }: RemoveRequest, runtime: string): Promise<void> => {
  const { hosts, ledger } = readScopeState(context, placesOf(context, scope))
  const recorded = [...hosts.files.values()].some((record) => record.runtime === runtime)
  if (recorded || ids.some((id) => ledger.capabilities.get(id)?.runtimes.includes(runtime))) return
  hostNamed(await hostsHere(context), runtime)
}

const removeFrom = async (context: Context, request: RemoveRequest, places: ScopePlaces): Promise<RemoveAnswer> => {
  const decide = async (): Promise<RemovePlan> => {
    const plan = planRemove(context, request, places)
    if (request.runtime === null && !request.force) await refuseRequired(context, request)
    return plan
  }
  if (request.dryRun) {
    const plan = await decide()
    return { ...answerOf(plan, request), plan: { changes: plan.changes } }
  }
  const plan = await commit(context, places, {
    command: `remove ${request.ids.join(' ')}`,
    plan: decide,
    brings: ({ staged }) => ({ copies: staged }),
  })
  return answerOf(plan, request)
}

const refuseRequired = async (context: Context, { ids, scope }: RemoveRequest): Promise<void> => {
  if (standAlone(context, ids, scope)) return
  const [{ loadWorld }, { checkRemoval }] = await Promise.all([
    import('../overlay/load-world.ts'),
    import('../registry/check-change.ts'),
  ])
  const [first, ...more] = checkRemoval((await loadWorld(context)).input, ids, scope)
  if (first === undefined) return
  const afar = [first, ...more].filter((each) => each.scope !== undefined && each.scope !== scope)
  const hint =
    afar.length === 0
      ? 'remove those as well, in the same command, or add --force'
      : `gsd capability remove ${afar.map(({ id }) => id).join(' ')} --scope ${afar[0]?.scope}, before this; or add --force`
  throw errorOfDiagnostic({ ...first, hint }, 'REGISTRY_REQUIRED_BY', { diagnostics: [first, ...more] })
}

const answerOf = (plan: RemovePlan, { runtime, scope }: RemoveRequest): RemoveAnswer => ({
  removed: runtime === null ? plan.entries.map(({ id, version }) => ({ id, version, scope })) : [],
  unwired: plan.unwired,
  kept: plan.kept,
  noLongerNeeded: plan.idle,
  warnings: plan.warnings,
})
