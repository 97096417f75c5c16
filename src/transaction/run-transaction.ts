import type { Context } from '../context.ts'
import { recordCatalogHashes } from '../fetch/catalog/catalog-hashes.ts'
import type { Change } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { applyChanges } from './apply-changes.ts'
import { fillStaging, type StagingInputs } from './fill-staging.ts'
import { withLock } from './lock.ts'
import { newOperationName } from './operation-context.ts'
import { recoverScope } from './recover.ts'
import { createStaging } from './staging.ts'

/** What a transaction does, and the files it needs for that. */
export interface Transaction<Plan extends { readonly changes: readonly Change[] }> {
  /** For the journal and for messages: `install x`. */
  readonly command: string
  /** Decides under the lock, by what is on disk then. */
  readonly plan: () => Plan | Promise<Plan>
  readonly inputs: (plan: Plan) => StagingInputs
}

/**
 * Changes one scope: all changes of the plan, or none.
 *
 * 1. `lock.ts`: only one process changes a scope at a time.
 * 2. `recover.ts`: what an interrupted transaction left is finished or undone.
 * 3. `plan`: decides the changes; nothing is written.
 * 4. `staging.ts`, `fill-staging.ts`: new bundles and files go to `.gsd/.staging/<operation>/`.
 * 5. `apply-changes.ts`: writes the journal, then makes one change after the other, the ledger last. A failure undoes them.
 * 6. The staging folder is removed, unless a journal remains that needs it.
 *
 * Returns the plan that was applied.
 * @throws LOCK_*, STATE_*, HOST_*, INTERRUPTED and whatever `plan` throws
 */
export const runTransaction = <Plan extends { readonly changes: readonly Change[] }>(
  context: Context,
  paths: ScopePaths,
  { command, plan, inputs }: Transaction<Plan>,
): Promise<Plan> =>
  withLock(context, paths, async () => {
    await recoverScope(context, paths)
    const decided = await plan()
    if (decided.changes.length === 0) return decided
    const operation = newOperationName(context)
    const staging = createStaging(context, paths, operation)
    try {
      fillStaging(context.disk, staging.dir, inputs(decided))
      const { scope, realRoot: root } = paths
      await applyChanges(context, paths, { schema: 1, operation, command, scope, root, changes: decided.changes })
    } finally {
      staging.discard()
    }
    await recordCatalogHashes(context)
    return decided
  })
