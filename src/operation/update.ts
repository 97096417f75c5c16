import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import type { ErrorObject } from '../errors.ts'
import { quote } from '../redact.ts'
import { addRequirements } from '../resolve/add-requirements.ts'
import { prepareUpdate } from '../resolve/prepare-update.ts'
import type { Prepared } from '../resolve/prepare.ts'
import { scopePathsOf } from '../state/config/resolve-paths.ts'
import { requireLedgerEntry } from '../state/ledger.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readScopeState } from '../state/scope-state.ts'
import { withStaging } from '../transaction/staging.ts'
import type { Difference } from '../trust/compare-surfaces.ts'
import type { ConsentPrompt } from '../trust/consent/require-consent.ts'
import type { Surface } from '../trust/surface.ts'
import { installAnswer } from './install-answer.ts'
import { type InstallOutcome, installPrepared, preflight } from './install-prepared.ts'
import type { InstalledRow, PlanView } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import { applySkippingRefused, type BatchSteps, mapSkippingRefused } from './skip-refused.ts'

/** What `capability update` was asked to do, made whole at the door. */
export interface UpdateRequest {
  /** Empty: everything in the scope (`--all`), leaving out what cannot be had or taken. */
  readonly ids: readonly string[]
  readonly scope: ScopeName
  readonly force: boolean
  readonly allowHttp: boolean
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly consentPrompt: ConsentPrompt
}

/** One capability that was updated, and how it differs. */
export interface UpdatedRow extends InstalledRow {
  readonly from: string
  /** Paths of files that are new, gone or other. */
  readonly files: readonly string[]
  readonly surfaces: readonly Surface[]
  readonly surfacesChanged: boolean
  /** Against what was let in before; null where nothing is known of it. */
  readonly difference: Difference | null
  /** Folder that holds copies of files edited by hand, relative to the scope root. */
  readonly keptIn: string | null
}

export interface UpdateAnswer {
  readonly updated: readonly UpdatedRow[]
  readonly unchanged: readonly string[]
  /** Only with `--all`: left out because they cannot be had, or would be refused by themselves. */
  readonly failed: readonly SkippedCapability[]
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

interface SkippedCapability {
  readonly id: string
  readonly error: ErrorObject
}

/**
 * Resolves recorded specs again and swaps what is new, all of it or nothing. With nothing new, nothing is written
 * (contract, `capability update`). Of everything in a scope, one that is refused by itself does not hold up the others.
 * @throws STATE_NOT_INSTALLED and everything an install throws
 */
export const update = async (context: Context, request: UpdateRequest): Promise<UpdateAnswer> => {
  const paths = scopePathsOf(context, request.scope)
  const { ledger } = readScopeState(context, paths)
  const all = request.ids.length === 0
  const wanted = all
    ? [...ledger.capabilities]
    : [...new Set(request.ids)].map((id) => [id, requireLedgerEntry(ledger.capabilities, id, paths)] as const)
  return withStaging(context, async ({ dir }) => {
    const next = await mapSkippingRefused(all, [...wanted.entries()], ([index, [id, entry]]) =>
      prepareUpdate(context, { id, entry, paths, into: join(dir, `${index}`), allowHttp: request.allowHttp }),
    )
    const failed: SkippedCapability[] = next.refused.map(({ item: [, [id]], error }) => ({ id, error: error.toJSON() }))
    const walk = batchSteps(context, request, { places: paths, dir })
    const { outcome, refused } = await applySkippingRefused(all, next.taken, walk)
    failed.push(...refused.map(({ item, error }) => ({ id: item.manifest.id, error: error.toJSON() })))
    const { plan, warnings } = outcome
    const { installed, unchanged, warnings: more } = installAnswer(plan, paths, warnings)
    return {
      updated: installed.map((row) => updatedRow(row, plan.steps)),
      unchanged,
      failed,
      ...(request.dryRun ? { plan: { disclosures: plan.disclosures, changes: plan.changes } } : {}),
      warnings: [...failed.map(({ id, error }) => skippedError(id, error)), ...more],
    }
  })
}

/** What an update does with a set of capabilities, and how it is found out whether one could be taken at all. */
const batchSteps = (
  context: Context,
  request: UpdateRequest,
  { places: paths, dir }: { readonly places: ScopePaths; readonly dir: string },
): BatchSteps<InstallOutcome> => {
  const asInstall = {
    ...request,
    specs: [],
    integrity: null,
    runtimes: [],
    settings: null,
    replace: false,
    keepAuto: true,
  }
  let sets = 0
  const complete = (named: readonly Prepared[]): Promise<readonly Prepared[]> =>
    addRequirements(context, named, { ...request, paths, dir: join(dir, `with-${sets++}`) })
  return {
    applyAll: async (named) => installPrepared(context, asInstall, await complete(named), { paths, command: 'update' }),
    checkOne: async (one) => preflight(context, asInstall, await complete([one]), { paths }),
  }
}

const updatedRow = (row: InstalledRow, steps: readonly InstallStep[]): UpdatedRow => {
  const step = steps.find(({ prepared }) => prepared.manifest.id === row.id)
  return {
    ...row,
    from: step?.entryBefore?.version ?? row.version,
    files: step?.changed ?? [],
    surfaces: step?.prepared.surfaces ?? [],
    surfacesChanged: step !== undefined && step.entryBefore?.surfaces !== step.prepared.signature,
    difference: step?.disclosure.difference ?? null,
    keptIn: step?.preserved.keptIn ?? null,
  }
}

const skippedError = (id: string, error: ErrorObject): Diagnostic =>
  diagnostic('error', error.code, `${quote(id)} was left out: ${error.message}`, {
    id,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })
