import { abbreviateFindings, MAX_SHOWN } from '../abbreviate.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { type ErrorObject, GsdError } from '../errors.ts'
import { abbreviateList, quote } from '../redact.ts'
import type { Change } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { Disclosure } from '../trust/disclosure.ts'
import type { FetchedBundles } from './plan/fetched-bundles.ts'
import type { SyncPlan } from './plan/plan-sync.ts'

/** What a sync did. */
export interface SyncAnswer {
  readonly restored: readonly {
    readonly id: string
    readonly scope: ScopeName
    readonly digest: string
    readonly keptIn: string | null
    /** Files that were missing. */
    readonly missing: readonly string[]
    /** Files that had other line endings. */
    readonly lineEndings: readonly string[]
  }[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unchanged: readonly string[]
  /** Folders that are in no ledger; they are not touched. */
  readonly extras: readonly { readonly scope: ScopeName; readonly folder: string }[]
  /** How many more there are. */
  readonly moreExtras: number
  /** What the user granted with this command. */
  readonly granted: readonly { readonly id: string; readonly scope: ScopeName }[]
  /** What the user did not grant here: it is restored and not wired. */
  readonly notGranted: readonly { readonly id: string; readonly scope: ScopeName }[]
  /** What could not be restored, and why; everything else was. */
  readonly failed: readonly { readonly id: string; readonly scope: ScopeName; readonly error: ErrorObject }[]
  /** Why something was not restored or not granted; null where everything is. */
  readonly refusal: GsdError | null
  readonly plan?: { readonly disclosures: readonly Disclosure[]; readonly changes: readonly Change[] }
  readonly warnings: readonly Diagnostic[]
}

/** What is not restored comes before what is not granted: the bundle has to be there first. */
export const failedError = (scopes: readonly FetchedBundles[]): GsdError | null => {
  const failed = scopes.flatMap((fetched) => [...fetched.failed])
  const [first] = failed
  if (first === undefined) return null
  const [, { hint }] = first
  // Edits are a matter of this disk; everything else is one of the source.
  const code = failed.every(([, error]) => error.code === 'STATE_DRIFT') ? 'STATE_DRIFT' : 'FETCH_INCOMPLETE'
  const names = abbreviateList(failed.map(([id]) => quote(id)))
  return new GsdError(code, `not restored: ${names}; everything else was`, {
    hint: hint ?? 'gsd capability sync, once the source can be reached',
    details: { failed: failed.slice(0, MAX_SHOWN).map(([id, error]) => ({ id, code: error.code })) },
  })
}

interface SyncOutcome {
  readonly paths: ScopePaths
  readonly failed: FetchedBundles['failed']
  readonly dryRun: boolean
}

/** The answer for one scope. */
export const syncAnswer = (plan: SyncPlan, { paths, failed, dryRun }: SyncOutcome): SyncAnswer => {
  const restored = plan.steps.filter(({ prepared }) => prepared !== null)
  return {
    restored: restored.map(({ installed: { id, entry, tree }, preserved }) => ({
      id,
      scope: paths.scope,
      digest: entry?.digest ?? '',
      keptIn: preserved.keptIn,
      missing: (tree?.drift?.missing ?? []).slice(0, MAX_SHOWN),
      lineEndings: (tree?.drift?.lineEndings ?? []).slice(0, MAX_SHOWN).map(({ path }) => path),
    })),
    wired: plan.wired,
    unchanged: plan.steps
      .filter((step) => step.prepared === null && !plan.wired.some(({ id }) => id === step.installed.id))
      .map(({ installed }) => installed.id),
    extras: plan.untracked.slice(0, MAX_SHOWN).map((folder) => ({ scope: paths.scope, folder })),
    moreExtras: Math.max(0, plan.untracked.length - MAX_SHOWN),
    granted: plan.granted.map(({ id }) => ({ id, scope: paths.scope })),
    notGranted: plan.notGranted.map(({ id }) => ({ id, scope: paths.scope })),
    failed: [...failed].map(([id, error]) => ({ id, scope: paths.scope, error: error.toJSON() })),
    refusal: null,
    ...(dryRun ? { plan: { disclosures: plan.granted, changes: plan.changes } } : {}),
    warnings: [
      ...abbreviateFindings(
        [...failed].map(([id, { code, message, hint }]) =>
          diagnostic('error', code, message, { id, scope: paths.scope, ...(hint === undefined ? {} : { hint }) }),
        ),
      ),
      ...plan.warnings,
      ...abbreviateFindings(
        plan.untracked.map((folder) =>
          diagnostic('info', 'STATE_UNTRACKED', `${quote(folder)} is not in the ledger; it was not touched`, {
            scope: paths.scope,
            hint: 'gsd capability doctor --fix adds it to the ledger, or delete the folder',
          }),
        ),
      ),
    ],
  }
}
