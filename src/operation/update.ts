import { join } from 'node:path'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { type ErrorObject, GsdError } from '../errors.ts'
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
import { type InstallOutcome, installPrepared, planView } from './install.ts'
import type { InstalledRow, PlanView } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import { preflight } from './plan/preflight.ts'

/** The request of `capability update`, with all defaults filled in. */
export interface UpdateRequest {
  /** Empty: everything in the scope (`--all`), skipping what cannot be fetched or is refused. */
  readonly ids: readonly string[]
  readonly scope: ScopeName
  readonly force: boolean
  /** Refuse if a host cannot have a part of a capability; default: wire the rest. */
  readonly strict?: boolean
  readonly allowHttp: boolean
  /** Take older versions too. */
  readonly downgrade?: boolean
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly consentPrompt: ConsentPrompt
}

/** One updated capability, and what changed. */
export interface UpdatedRow extends InstalledRow {
  readonly from: string
  /** Paths of added, removed and changed files. */
  readonly files: readonly string[]
  readonly surfaces: readonly Surface[]
  /** Paths of changed prose, which was taken without a question unless policy asks for it. */
  readonly prose: readonly string[]
  readonly surfacesChanged: boolean
  /** From what the user consented to before; null if there was nothing. */
  readonly difference: Difference | null
  /** Folder that holds copies of files edited by hand, relative to the scope root. */
  readonly keptIn: string | null
}

export interface UpdateAnswer {
  readonly updated: readonly UpdatedRow[]
  readonly unchanged: readonly string[]
  /** Only with `--all`: skipped because they cannot be fetched or are refused. */
  readonly failed: readonly SkippedCapability[]
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

interface SkippedCapability {
  readonly id: string
  readonly error: ErrorObject
}

/**
 * Resolves the recorded specs again and replaces what changed, all or nothing. Without changes nothing is written
 * (contract, `capability update`). With `--all`, one that is refused does not stop the others.
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
      prepareUpdate(context, { ...request, id, entry, paths, into: join(dir, `${index}`) }),
    )
    const failed: SkippedCapability[] = next.refused.map(({ item: [, [id]], error }) => ({ id, error: error.toJSON() }))
    const steps = batchSteps(context, request, { paths, dir })
    const { outcome, refused } = await applySkippingRefused(all, next.taken, steps)
    failed.push(...refused.map(({ item, error }) => ({ id: item.manifest.id, error: error.toJSON() })))
    const { plan, warnings } = outcome
    const { installed, unchanged, warnings: more } = installAnswer(plan, paths, warnings)
    return {
      updated: installed.map((row) => updatedRow(row, plan.steps)),
      unchanged,
      failed,
      ...(request.dryRun ? { plan: await planView(plan) } : {}),
      warnings: [...failed.map(({ id, error }) => skippedError(id, error)), ...more],
    }
  })
}

/** How an update applies a set of capabilities, and how it checks a single one. */
const batchSteps = (
  context: Context,
  request: UpdateRequest,
  { paths, dir }: { readonly paths: ScopePaths; readonly dir: string },
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
    checkOne: async (one) => preflight(context, asInstall, await complete([one]), paths),
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
    prose: step?.disclosure.prose ?? [],
  }
}

const skippedError = (id: string, error: ErrorObject): Diagnostic =>
  diagnostic('error', error.code, `${quote(id)} was skipped: ${error.message}`, {
    id,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })

/** One of several that was refused, and why. */
export interface Refused<T> {
  readonly item: T
  readonly error: GsdError
}

/** How a set of capabilities is applied, and how one of them is checked alone. */
export interface BatchSteps<T> {
  /** All or none. */
  readonly applyAll: (named: readonly Prepared[]) => Promise<T>
  /** Throws if this one is refused on its own; writes nothing. */
  readonly checkOne: (one: Prepared) => Promise<unknown>
}

/** Works on each item in turn. With `skip` a failed item is set aside; otherwise it ends the work. */
export const mapSkippingRefused = async <T, U>(
  skip: boolean,
  items: readonly T[],
  work: (item: T) => Promise<U>,
): Promise<{ readonly taken: readonly U[]; readonly refused: readonly Refused<T>[] }> => {
  const taken: U[] = []
  const refused: Refused<T>[] = []
  for (const item of items) {
    try {
      taken.push(await work(item))
    } catch (error) {
      if (!skip || !isRefusal(error)) throw error
      refused.push({ item, error })
    }
  }
  return { taken, refused }
}

/**
 * Applies all as one operation. With `skip`, if that is refused, those that are also refused alone are left out; if none
 * is, the set itself is refused.
 */
export const applySkippingRefused = async <T>(
  skip: boolean,
  named: readonly Prepared[],
  { applyAll, checkOne }: BatchSteps<T>,
): Promise<{ readonly outcome: T; readonly refused: readonly Refused<Prepared>[] }> => {
  try {
    return { outcome: await applyAll(named), refused: [] }
  } catch (error) {
    if (!skip || !isRefusal(error)) throw error
    const { taken, refused } = await mapSkippingRefused(true, named, async (one) => (await checkOne(one), one))
    if (refused.length === 0) throw error
    const rest = await applySkippingRefused(skip, taken, { applyAll, checkOne })
    return { outcome: rest.outcome, refused: [...refused, ...rest.refused] }
  }
}

const isRefusal = (error: unknown): error is GsdError => error instanceof GsdError && error.code !== 'INTERRUPTED'
