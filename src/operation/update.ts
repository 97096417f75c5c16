import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import type { ErrorObject } from '../errors.ts'
import { quote } from '../redact.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { Difference } from '../trust/difference.ts'
import type { Surface } from '../trust/surface.ts'
import type { ConsentDesk } from './consent/consent-desk.ts'
import { installAnswer } from './install-answer.ts'
import { installPrepared, lookAhead, type InstallOutcome } from './install-prepared.ts'
import { entryOf } from './installed/ledger-entry-of.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import type { InstalledRow, PlanView } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import { prepareAgain } from './prepare/prepare-again.ts'
import type { Prepared } from './prepare/prepare.ts'
import { withRequirements } from './prepare/requirements.ts'
import { eachOf, takeWhatCan, type Walk } from './take-what-can.ts'
import { withStaging } from './transaction/staging.ts'

/** What `capability update` was asked to do, made whole at the door. */
export interface UpdateRequest {
  /** Empty: everything in the scope (`--all`), leaving out what cannot be had or taken. */
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
  /** Only with `--all`: left out because they cannot be had, or would be refused by themselves. */
  readonly failed: readonly LeftOut[]
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

interface LeftOut {
  readonly id: string
  readonly error: ErrorObject
}

/**
 * Resolves recorded specs again and swaps what is new, all of it or nothing. With nothing new, nothing is written
 * (contract, `capability update`). Of everything in a scope, one that is refused by itself does not hold up the others.
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
    const next = await eachOf(all, [...wanted.entries()], ([index, [id, entry]]) =>
      prepareAgain(context, { id, entry, places, into: join(dir, `${index}`), allowHttp: request.allowHttp }),
    )
    const failed: LeftOut[] = next.refused.map(({ item: [, [id]], error }) => ({ id, error: error.toJSON() }))
    const walk = walkOf(context, request, { places, dir })
    const { outcome, refused } = await takeWhatCan(all, next.taken, walk)
    failed.push(...refused.map(({ item, error }) => ({ id: item.manifest.id, error: error.toJSON() })))
    const { plan, warnings } = outcome
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

/** What an update does with a set of capabilities, and how it is found out whether one could be taken at all. */
const walkOf = (
  context: Context,
  request: UpdateRequest,
  { places, dir }: { readonly places: ScopePlaces; readonly dir: string },
): Walk<InstallOutcome> => {
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
    withRequirements(context, named, { ...request, places, dir: join(dir, `with-${sets++}`) })
  return {
    take: async (named) => installPrepared(context, asInstall, await complete(named), { places, command: 'update' }),
    look: async (one) => lookAhead(context, asInstall, await complete([one]), { places }),
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
    keptIn: step?.survivors.keptIn ?? null,
  }
}

const leftOut = (id: string, error: ErrorObject): Diagnostic =>
  diagnostic('error', error.code, `${quote(id)} was left out: ${error.message}`, {
    id,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })
