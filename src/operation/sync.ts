import { join } from 'node:path'
import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Change } from '../store/journal-entry.ts'
import type { LedgerEntry } from '../store/ledger-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { receiptTarget, receiptText } from '../store/receipts.ts'
import { isAsRecorded, isEdited, readInstalled } from './installed/installed.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import { pinnedSpec } from './plan/pinned-spec.ts'
import { edited, planSync, type SyncCare, type SyncPlan } from './plan/plan-sync.ts'
import { naming } from './prepare/naming.ts'
import { prepare, type Prepared } from './prepare/prepare.ts'
import { commit } from './transaction/commit.ts'
import { withStaging } from './transaction/staging.ts'
import { hostsHere } from './wiring/hosts-here.ts'

/** What `capability sync` was asked to do. */
export interface SyncRequest extends SyncCare {
  /** Null: every scope. */
  readonly scope: ScopeName | null
  readonly allowHttp: boolean
  readonly dryRun: boolean
}

export interface SyncAnswer {
  readonly restored: readonly {
    readonly id: string
    readonly scope: ScopeName
    readonly digest: string
    readonly keptIn: string | null
  }[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unchanged: readonly string[]
  /** Folders that no ledger knows; they are left alone. */
  readonly extras: readonly { readonly scope: ScopeName; readonly folder: string }[]
  readonly plan?: { readonly changes: readonly Change[] }
  readonly warnings: readonly Diagnostic[]
}

/**
 * Makes the disk match the ledger: what is missing or differs is fetched again and has to have the recorded digest; hosts
 * are wired where the user agreed. Nothing is removed (contract, `capability sync`). Each scope is an operation of its own;
 * none begins before everything was fetched and decided for all of them.
 * @throws STATE_DRIFT, INTEGRITY_*, FETCH_* and everything an install throws
 */
export const sync = (context: Context, request: SyncRequest): Promise<SyncAnswer> =>
  withStaging(context, async ({ dir }) => {
    const scopes = request.scope === null ? scopesOf(context) : [placesOf(context, request.scope)]
    const outlooks: Outlook[] = []
    for (const places of scopes) outlooks.push(await lookOut(context, request, places, join(dir, places.scope)))
    const answers: SyncAnswer[] = []
    for (const { places, plan, decide } of outlooks) {
      const isIdle = request.dryRun || plan.changes.length === 0
      answers.push(answerOf(isIdle ? plan : await carryOut(context, places, decide), places, request.dryRun))
    }
    return {
      restored: answers.flatMap(({ restored }) => restored),
      wired: answers.flatMap(({ wired }) => wired),
      unchanged: answers.flatMap(({ unchanged }) => unchanged),
      extras: answers.flatMap(({ extras }) => extras),
      ...(request.dryRun ? { plan: { changes: answers.flatMap(({ plan }) => plan?.changes ?? []) } } : {}),
      warnings: answers.flatMap(({ warnings }) => warnings),
    }
  })

/** What is going to be done in one scope, and how to decide it again under its lock. */
interface Outlook {
  readonly places: ScopePlaces
  readonly plan: SyncPlan
  readonly decide: () => SyncPlan
}

const lookOut = async (context: Context, request: SyncRequest, places: ScopePlaces, dir: string): Promise<Outlook> => {
  const fetched = await fetchMissing(context, request, places, dir)
  const known = await hostsHere(context)
  const decide = (): SyncPlan => planSync(context, request, places, fetched, known)
  return { places, plan: decide(), decide }
}

const carryOut = (context: Context, places: ScopePlaces, decide: () => SyncPlan): Promise<SyncPlan> =>
  commit(context, places, {
    command: 'sync',
    plan: decide,
    brings: ({ steps }) => ({
      bundles: steps.flatMap(({ prepared, installed: { id } }) =>
        prepared === null ? [] : [{ staged: prepared.staged, to: `capabilities/${id}` }],
      ),
      texts: steps.flatMap(({ receipt, installed: { id, entry } }) =>
        receipt === null || entry === null
          ? []
          : [{ text: receiptText(id, entry.digest, receipt), to: receiptTarget(id) }],
      ),
      copies: steps.flatMap(({ survivors }) => survivors.copies),
    }),
  })

/** Fetches every bundle that is not on disk as the ledger records it. Edited ones only with `--force`. */
const fetchMissing = async (
  context: Context,
  { force, frozen, allowHttp }: SyncRequest,
  places: ScopePlaces,
  dir: string,
): Promise<ReadonlyMap<string, Prepared>> => {
  const state = readScopeState(context, places)
  const fetched = new Map<string, Prepared>()
  for (const [id, entry] of state.ledger.capabilities) {
    const installed = readInstalled(context, places, state, id)
    if (isAsRecorded(installed)) continue
    if (isEdited(installed) && (!force || frozen)) throw edited(id, frozen)
    const about = { words: `${quote(id)} cannot be restored`, details: { id } }
    const prepared = await naming(about, async () =>
      prepare(context, {
        text: entry.spec,
        pinned: pinnedSpec(entry, { cwd: places.realRoot, home: context.home }),
        commit: entry.resolved.commit ?? null,
        cwd: places.realRoot,
        places,
        into: join(dir, id),
        integrity: entry.integrity,
        allowHttp,
      }),
    )
    requireDigest({ id, scope: places.scope }, entry, prepared)
    fetched.set(id, prepared)
  }
  return fetched
}

const requireDigest = (
  { id, scope }: { readonly id: string; readonly scope: ScopeName },
  entry: LedgerEntry,
  { digest, manifest }: Prepared,
): void => {
  if (digest === entry.digest && manifest.id === id) return
  throw new GsdError(
    'INTEGRITY_DIGEST_MISMATCH',
    `${quote(entry.spec)} no longer gives the ${quote(id)} that the ledger records`,
    {
      hint: `gsd capability update ${id} --scope ${scope} takes what it gives now, after showing you`,
      details: { id, recorded: entry.digest, found: digest },
    },
  )
}

const answerOf = (plan: SyncPlan, places: ScopePlaces, dryRun: boolean): SyncAnswer => {
  const restored = plan.steps.filter(({ prepared }) => prepared !== null)
  return {
    restored: restored.map(({ installed: { id, entry }, survivors }) => ({
      id,
      scope: places.scope,
      digest: entry?.digest ?? '',
      keptIn: survivors.keptIn,
    })),
    wired: plan.wired,
    unchanged: plan.steps
      .filter((step) => step.prepared === null && !plan.wired.some(({ id }) => id === step.installed.id))
      .map(({ installed }) => installed.id),
    extras: plan.extras.map((folder) => ({ scope: places.scope, folder })),
    ...(dryRun ? { plan: { changes: plan.changes } } : {}),
    warnings: [
      ...plan.warnings,
      ...plan.extras.map((folder) =>
        diagnostic('info', 'STATE_UNTRACKED', `${quote(folder)} is in no ledger; it was left alone`, {
          scope: places.scope,
          hint: 'gsd capability doctor --fix adopts it, or delete the folder',
        }),
      ),
    ],
  }
}
