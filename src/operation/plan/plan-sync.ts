import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { KnownHosts } from '../../host/known-hosts.ts'
import { isWhole } from '../../host/surfaces/table.ts'
import { quote } from '../../redact.ts'
import type { Change } from '../../store/journal-entry.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import { namesIn } from '../../store/names-in.ts'
import { isCapabilityId } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { receiptTarget } from '../../store/receipts.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { manifestOf } from '../installed/installed-manifest.ts'
import {
  isAsRecorded,
  isEdited,
  readInstalled,
  recordedFiles,
  refuseOddities,
  type Installed,
} from '../installed/installed.ts'
import { isOff, readScopeState, type ScopeState } from '../installed/scope-state.ts'
import type { Prepared } from '../prepare/prepare.ts'
import { record, withoutIdle } from '../transaction/changes.ts'
import { hostChanges, openHostBook, type HostBook } from '../wiring/host-book.ts'
import { hostState } from '../wiring/host-state.ts'
import { rewire, type RewireWorld } from '../wiring/rewire.ts'
import type { Wiring } from '../wiring/wiring.ts'
import { survivorsOf, type Survivors } from './keep-copies.ts'

/** What a sync may do about edits and about the ledger itself. */
export interface SyncCare {
  /** Refuse where the ledger itself would have to change, or files were edited. */
  readonly frozen: boolean
  /** Replace files, and entries in hosts, that were edited; of files copies are kept. */
  readonly force: boolean
}

export interface SyncStep {
  readonly installed: Installed
  /** The bundle to be put in place; null where the right one is there. */
  readonly prepared: Prepared | null
  /** Files for a receipt that is missing or belongs to other content; null where it is right. */
  readonly receipt: readonly BundleFile[] | null
  readonly survivors: Survivors
  /** The entry with everything that follows from the manifest as it is. */
  readonly entry: LedgerEntry
}

export interface SyncPlan {
  readonly steps: readonly SyncStep[]
  readonly changes: readonly Change[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  /** Folders below `capabilities/` that the ledger does not know. */
  readonly extras: readonly string[]
  readonly warnings: readonly Diagnostic[]
}

/** Reads what is there and decides everything; writes nothing. @throws STATE_DRIFT, OVERLAY_*, HOST_*, STATE_* */
export const planSync = (
  context: Context,
  request: SyncCare,
  places: ScopePlaces,
  fetched: ReadonlyMap<string, Prepared>,
  known: KnownHosts,
): SyncPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const steps = [...state.ledger.capabilities.keys()].map((id) =>
    stepOf(context, request, places, state, { id, fetched: fetched.get(id) ?? null }),
  )
  for (const step of steps) if (request.frozen) refuseLedgerChange(step)
  const wirings = steps.map((step) => ({
    id: step.installed.id,
    ...wiringOf({ context, places, state, book, known }, step, request.force),
  }))
  return {
    steps,
    changes: changesOf(steps, book),
    wired: wirings.flatMap(({ id, wiring }) =>
      wiring.wired
        .filter(({ file }) => book.edits().some((edit) => edit.file === file && edit.id === id))
        .map((each) => ({ id, ...each })),
    ),
    extras: extrasOf(context, places, state),
    warnings: [...book.warnings(), ...wirings.flatMap(({ warnings }) => warnings)],
  }
}

const stepOf = (
  context: Context,
  { force, frozen }: SyncCare,
  places: ScopePlaces,
  state: ScopeState,
  { id, fetched }: { readonly id: string; readonly fetched: Prepared | null },
): SyncStep => {
  const installed = readInstalled(context, places, state, id)
  const before = installed.entry as LedgerEntry
  const isRight = isAsRecorded(installed)
  if (!isRight && isEdited(installed) && (!force || frozen)) throw edited(id, frozen)
  if (!isRight) refuseOddities(installed)
  if (!isRight && fetched?.digest !== before.digest) throw changedMeanwhile(id)
  const prepared = isRight ? null : fetched
  const files = prepared?.staged.files ?? recordedFiles(installed)
  const manifest = prepared?.manifest ?? manifestOf(installed)
  const { receipt, tree } = installed
  const hasRightReceipt = prepared === null && receipt.state === 'ok' && receipt.value.digest === before.digest
  return {
    installed,
    prepared,
    receipt: hasRightReceipt ? null : files,
    survivors:
      prepared === null
        ? { copies: [], changes: [], keptIn: null }
        : survivorsOf(context.disk, places, installed, { fresh: files, keep: tree !== null }),
    entry: {
      ...before,
      version: manifest.version,
      requires: [...manifest.requires],
      surfaces: surfaceSignature(surfacesOf(manifest, files)),
    },
  }
}

/** Files were edited, and nobody said that they may be replaced. */
export const edited = (id: string, frozen: boolean): GsdError =>
  new GsdError(
    'STATE_DRIFT',
    `files of the installed ${quote(id)} were changed by hand, so the disk does not match the ledger`,
    {
      hint: frozen
        ? 'put them back: gsd capability sync --force, without --frozen'
        : `gsd capability verify ${id} names them; --force replaces them and keeps a copy`,
      details: { id },
    },
  )

const changedMeanwhile = (id: string): GsdError =>
  new GsdError('STATE_CHANGED', `another operation changed the installed ${quote(id)} since this one looked`, {
    hint: 'run the command again',
    details: { id },
  })

const refuseLedgerChange = ({ installed: { id, entry }, entry: after }: SyncStep): void => {
  if (withoutIdle([record('ledger', [id], entry, after)]).length === 0) return
  throw new GsdError(
    'STATE_DRIFT',
    `the ledger entry of ${quote(id)} does not fit the bundle it names, and --frozen refuses to mend it`,
    {
      hint: 'gsd capability sync, without --frozen, then commit the ledger',
      details: { id, before: entry, after },
    },
  )
}

const NOTHING: Wiring = { wired: [], notWired: [], runtimes: [] }

const wiringOf = (world: RewireWorld, { installed, prepared }: SyncStep, force: boolean) => {
  if (isOff(installed.id, world.state)) return { wiring: NOTHING, warnings: [] }
  if (force) takeOutEdited(world, installed.id)
  if (prepared === null) return rewire(world, installed, false)
  const { staged, digest } = prepared
  const tree = { files: staged.files, manifest: staged.manifest, odd: [], dull: [], digest, drift: null }
  return rewire(world, { ...installed, tree }, false, staged.dir)
}

/** Plans that entries which were edited by hand go, so that they can be written as they should be. Whole files stay: they are the user's now. */
const takeOutEdited = ({ context, state, book }: RewireWorld, id: string): void => {
  for (const [file, host] of state.hosts.files) {
    if (!Object.hasOwn(host.entries, id) || isWhole(host.surface)) continue
    if (hostState(context, state, { file, record: host, id }) !== 'edited') continue
    book.wish({ file, surface: host.surface, runtime: host.runtime, id, entries: [] })
  }
}

const changesOf = (steps: readonly SyncStep[], book: HostBook): readonly Change[] =>
  withoutIdle([
    ...steps.flatMap(({ installed: { id, tree, hasReceipt }, prepared, receipt, survivors }): Change[] => {
      const bundle = `capabilities/${id}`
      const target = receiptTarget(id)
      return [
        ...survivors.changes,
        ...(prepared === null
          ? []
          : [{ kind: 'swap', target: bundle, from: bundle, replaces: tree !== null } as const]),
        ...(receipt === null ? [] : [{ kind: 'swap', target, from: target, replaces: hasReceipt } as const]),
      ]
    }),
    ...hostChanges(book),
    ...steps.map(({ installed: { id, entry: before }, entry }) =>
      record('ledger', ['capabilities', id], before, entry),
    ),
  ])

/** Folders that could be capabilities and are in no ledger. */
export const extrasOf = ({ disk }: Context, places: ScopePlaces, { ledger }: ScopeState): readonly string[] =>
  namesIn(disk, places.capabilities)
    .filter((name) => isCapabilityId(name) && !ledger.capabilities.has(name))
    .toSorted()
    .map((name) => `.gsd/capabilities/${name}`)
