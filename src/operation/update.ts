import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import { GsdError, type ErrorObject } from '../errors.ts'
import { quote } from '../redact.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { LedgerEntry } from '../store/ledger-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { Difference } from '../trust/difference.ts'
import type { Surface } from '../trust/surface.ts'
import type { ConsentDesk } from './consent/consent-desk.ts'
import { installAnswer } from './install-answer.ts'
import { installPrepared } from './install-prepared.ts'
import { entryOf } from './installed/ledger-entry-of.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import type { InstalledRow, PlanView } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import { prepareFitting } from './prepare/prepare-fitting.ts'
import type { Prepared } from './prepare/prepare.ts'
import { withRequirements } from './prepare/requirements.ts'
import { withStaging } from './transaction/staging.ts'
import { wentBack } from './went-back.ts'

/** What `capability update` was asked to do, made whole at the door. */
export interface UpdateRequest {
  /** Empty: everything in the scope (`--all`), leaving out what cannot be resolved. */
  readonly ids: readonly string[]
  readonly scope: ScopeName
  readonly force: boolean
  readonly allowHttp: boolean
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly desk: ConsentDesk
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
  /** Only with `--all`: left out because they could not be resolved. */
  readonly failed: readonly { readonly id: string; readonly error: ErrorObject }[]
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

/**
 * Resolves recorded specs again and swaps what is new, all of it or nothing. With nothing new, nothing is written
 * (contract, `capability update`).
 * @throws STATE_NOT_INSTALLED and everything an install throws
 */
export const update = async (context: Context, request: UpdateRequest): Promise<UpdateAnswer> => {
  const places = placesOf(context, request.scope)
  const { ledger } = readScopeState(context, places)
  const all = request.ids.length === 0
  const wanted = all
    ? [...ledger.capabilities]
    : [...new Set(request.ids)].map((id) => [id, entryOf(ledger.capabilities, id, places)] as const)
  return withStaging(context, async ({ dir }) => {
    let prepared: readonly Prepared[] = []
    const failed: UpdateAnswer['failed'][number][] = []
    for (const [index, [id, entry]] of wanted.entries()) {
      try {
        const next = await prepareAgain(context, request, { id, entry, places, into: join(dir, `${index}`) })
        prepared = await withRequirements(context, [...prepared, next], {
          ...request,
          places,
          dir: join(dir, `with-${index}`),
        })
      } catch (error) {
        if (!all || !(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
        failed.push({ id, error: error.toJSON() })
      }
    }
    const asInstall = {
      ...request,
      specs: [],
      integrity: null,
      runtimes: [],
      settings: null,
      replace: false,
      keepAuto: true,
    }
    const { plan, warnings } = await installPrepared(context, asInstall, prepared, { places, command: 'update' })
    const { installed, unchanged, warnings: more } = installAnswer(plan, places, warnings)
    return {
      updated: installed.map((row) => updatedRow(row, plan.steps)),
      unchanged,
      failed,
      ...(request.dryRun ? { plan: { disclosures: plan.disclosures, changes: plan.changes } } : {}),
      warnings: [...failed.map(({ id, error }) => leftOut(id, error)), ...more],
    }
  })
}

interface Again {
  readonly id: string
  readonly entry: LedgerEntry
  readonly places: ScopePlaces
  readonly into: string
}

const prepareAgain = async (
  context: Context,
  { allowHttp }: UpdateRequest,
  { id, entry, places, into }: Again,
): Promise<Prepared> => {
  const spec = parseSpec(entry.spec, { cwd: places.realRoot, home: context.home, allowHttp })
  const prepared = await prepareFitting(context, {
    text: entry.spec,
    cwd: places.realRoot,
    places,
    into,
    integrity: null,
    allowHttp,
    downgrade: wentBack(spec, entry.resolved) ? true : null,
  })
  if (prepared.manifest.id === id) return prepared
  throw new GsdError(
    'STATE_OTHER_SOURCE',
    `${quote(entry.spec)} holds ${quote(prepared.manifest.id)} now, and no longer ${quote(id)}`,
    {
      hint: `gsd capability remove ${id}, then install ${prepared.manifest.id}`,
      details: { id, found: prepared.manifest.id },
    },
  )
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
    keptIn: step?.survivors.keptIn ?? null,
  }
}

const leftOut = (id: string, error: ErrorObject): Diagnostic =>
  diagnostic('error', error.code, `${quote(id)} was left out: ${error.message}`, {
    id,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })
