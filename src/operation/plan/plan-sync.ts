import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { KnownHosts } from '../../host/runtimes/known-hosts.ts'
import { ownsWholeFile } from '../../host/surfaces/surfaces.ts'
import { hostChanges, type HostFileEditor, openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { checkHostFile } from '../../host/wiring/host-file-status.ts'
import { hasConsent, notGrantedWarning, rewire, type RewireContext } from '../../host/wiring/rewire.ts'
import type { Wiring } from '../../host/wiring/wire.ts'
import { listFolder } from '../../platform/folders.ts'
import { abbreviateList, quote } from '../../redact.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import type { Change } from '../../state/change.ts'
import { recordChange, withoutUnchanged } from '../../state/change.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import {
  compareWithSource,
  hasEdits,
  type InstalledCapability,
  matchesLedger,
  readInstalled,
  recordedFiles,
  refuseUnexpectedFiles,
} from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { isCapabilityId } from '../../state/name-rules.ts'
import { receiptTarget } from '../../state/receipts.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, readScopeState, type ScopeState } from '../../state/scope-state.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { matchesSignature, surfaceSignature } from '../../trust/signature.ts'
import type { FetchedBundles } from './fetched-bundles.ts'
import { grantChange } from './plan-consent.ts'
import { type Agreed, changedError, placeOf, planStepConsent } from './plan-sync-consent.ts'
import { planPreservedFiles, type PreservedFiles } from './preserved-files.ts'

/** What a sync may do about edits and the ledger. */
export interface SyncOptions {
  /** Refuse if the ledger would change, or files were edited. */
  readonly frozen: boolean
  /** Replace edited files and host entries; copies of files are kept. */
  readonly force: boolean
}

export interface SyncStep {
  readonly installed: InstalledCapability
  /** The bundle to place; null if the right one is installed. */
  readonly prepared: Prepared | null
  /** Files for a receipt that is missing or belongs to other content; null if it is right. */
  readonly receipt: readonly BundleFile[] | null
  readonly preserved: PreservedFiles
  /** The entry, with everything that follows from the manifest updated. */
  readonly entry: LedgerEntry
}

export interface SyncPlan {
  readonly steps: readonly SyncStep[]
  readonly changes: readonly Change[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  /** Folders below `capabilities/` that are not in the ledger. */
  readonly untracked: readonly string[]
  /** What the user did not grant here; it is not wired. */
  readonly notGranted: readonly Disclosure[]
  /** What the user agrees to with this operation. */
  readonly granted: readonly Disclosure[]
  readonly warnings: readonly Diagnostic[]
}

/** Reads the current state and decides everything; writes nothing. @throws STATE_DRIFT, OVERLAY_*, HOST_*, STATE_* */
export const planSync = (
  context: Context,
  request: SyncOptions & { readonly agreed: Agreed },
  paths: ScopePaths,
  fetched: FetchedBundles,
  known: KnownHosts,
): SyncPlan => {
  const state = readScopeState(context, paths)
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const steps = [...state.ledger.capabilities.keys()]
    .filter((id) => !fetched.failed.has(id))
    .map((id) => planStep(context, request, paths, state, { id, fetched: fetched.prepared.get(id) ?? null }))
  for (const step of steps) if (request.frozen) refuseLedgerChange(step)
  const rewiring = { context, paths, state, hostFiles, known }
  const consents = new Map(steps.map((step) => [step.installed.id, planStepConsent(rewiring, step, request.agreed)]))
  const wirings = steps.map((step) => ({
    id: step.installed.id,
    ...planWiring(rewiring, step, {
      force: request.force,
      agreed: consents.get(step.installed.id)?.isAgreed === true,
    }),
  }))
  const asked = [...consents.values()].filter((each) => each !== null)
  const agreed = asked.filter(({ isAgreed }) => isAgreed)
  const notGranted = asked.filter(({ isAgreed }) => !isAgreed).map(({ step }) => step.disclosure)
  return {
    steps,
    changes: withoutUnchanged([...agreed.map(({ step }) => grantChange(step)), ...changesOf(steps, hostFiles)]),
    wired: wirings.flatMap(({ id, wiring }) =>
      wiring.wired
        .filter(({ file }) => hostFiles.edits().some((edit) => edit.file === file && edit.id === id))
        .map((each) => ({ id, ...each })),
    ),
    untracked: untrackedFolders(context, paths, state),
    notGranted,
    granted: agreed.map(({ step }) => step.disclosure),
    warnings: [
      ...hostFiles.warnings(),
      ...wirings.flatMap(({ warnings }) => warnings),
      ...notGranted.map(({ id }) => notGrantedWarning(paths, id)),
    ],
  }
}

const planStep = (
  context: Context,
  { force, frozen }: SyncOptions,
  paths: ScopePaths,
  state: ScopeState,
  { id, fetched }: { readonly id: string; readonly fetched: Prepared | null },
): SyncStep => {
  const found = readInstalled(context, paths, state, id)
  const installed = fetched === null ? found : compareWithSource(context.disk, found, fetched.staged.files)
  const before = installed.entry as LedgerEntry
  const isRight = matchesLedger(installed)
  if (!isRight && hasEdits(installed) && (!force || frozen)) throw editedError(installed, frozen)
  if (!isRight) refuseUnexpectedFiles(installed)
  if (!isRight && fetched?.digest !== before.digest) throw changedError(id)
  const prepared = isRight ? null : fetched
  const files = prepared?.staged.files ?? recordedFiles(installed)
  const manifest = prepared?.manifest ?? manifestOf(installed)
  const { receipt, tree } = installed
  const surfaces = listSurfaces(manifest, files)
  const hasRightReceipt = prepared === null && receipt.state === 'ok' && receipt.value.digest === before.digest
  return {
    installed,
    prepared,
    receipt: hasRightReceipt ? null : files,
    preserved:
      prepared === null
        ? { copies: [], changes: [], keptIn: null }
        : planPreservedFiles(context.disk, paths, installed, { fresh: files, keep: tree !== null }),
    entry: {
      ...before,
      version: manifest.version,
      requires: [...manifest.requires],
      surfaces: matchesSignature(before.surfaces, surfaces) ? before.surfaces : surfaceSignature(surfaces),
    },
  }
}

/** Files were edited, and `--force` is missing. */
export const editedError = ({ id, tree }: InstalledCapability, frozen: boolean): GsdError => {
  const names = (tree?.drift?.changed ?? []).map(({ path }) => path)
  const shown = names.length === 0 ? '' : `: ${abbreviateList(names.map(quote))}`
  return new GsdError(
    'STATE_DRIFT',
    `files of the installed ${quote(id)} were changed by hand, so the disk does not match the ledger${shown}`,
    {
      hint: frozen
        ? 'restore them: gsd capability sync --force, without --frozen'
        : `gsd capability verify ${id} names them; --force replaces them and keeps a copy`,
      details: { id, files: names },
    },
  )
}

const refuseLedgerChange = ({ installed: { id, entry }, entry: after }: SyncStep): void => {
  if (withoutUnchanged([recordChange('ledger', [id], entry, after)]).length === 0) return
  throw new GsdError(
    'STATE_DRIFT',
    `the ledger entry of ${quote(id)} does not match its bundle, and --frozen does not update it`,
    {
      hint: 'gsd capability sync, without --frozen, then commit the ledger',
      details: { id, before: entry, after },
    },
  )
}

const NO_WIRING: Wiring = { wired: [], notWired: [], runtimes: [], hooked: [], linked: [] }

const planWiring = (
  rewiring: RewireContext,
  step: SyncStep,
  { force, agreed }: { readonly force: boolean; readonly agreed: boolean },
) => {
  const place = placeOf(step)
  const { paths, state } = rewiring
  if (isSwitchedOff(step.installed.id, state)) return { wiring: NO_WIRING, warnings: [] }
  if (!agreed && !hasConsent(paths, state, place.installed)) return { wiring: NO_WIRING, warnings: [] }
  if (force) removeEditedEntries(rewiring, step.installed.id)
  return rewire(rewiring, place.installed, { agreed, from: place.from, onHostError: 'report' })
}

/** Removes edited entries from hosts so that they can be written again. Edited whole files stay: they belong to the user now. */
const removeEditedEntries = ({ context, paths, state, hostFiles }: RewireContext, id: string): void => {
  for (const [file, host] of state.hostRecords.files) {
    if (!Object.hasOwn(host.entries, id) || ownsWholeFile(host.surface)) continue
    if (checkHostFile(context, paths, state, { file, record: host, id }) !== 'edited') continue
    hostFiles.setEntries({ file, surface: host.surface, runtime: host.runtime, id, entries: [] })
  }
}

const changesOf = (steps: readonly SyncStep[], hostFiles: HostFileEditor): readonly Change[] =>
  withoutUnchanged([
    ...steps.flatMap(({ installed: { id, tree, hasReceipt }, prepared, receipt, preserved }): Change[] => {
      const bundle = `capabilities/${id}`
      const target = receiptTarget(id)
      return [
        ...preserved.changes,
        ...(prepared === null
          ? []
          : [{ kind: 'swap', target: bundle, from: bundle, replaces: tree !== null } as const]),
        ...(receipt === null ? [] : [{ kind: 'swap', target, from: target, replaces: hasReceipt } as const]),
      ]
    }),
    ...hostChanges(hostFiles),
    ...steps.map(({ installed: { id, entry: before }, entry }) =>
      recordChange('ledger', ['capabilities', id], before, entry),
    ),
  ])

/** Folders that could be capabilities and are not in the ledger. */
export const untrackedFolders = ({ disk }: Context, paths: ScopePaths, { ledger }: ScopeState): readonly string[] =>
  listFolder(disk, paths.capabilities)
    .filter((name) => isCapabilityId(name) && !ledger.capabilities.has(name))
    .toSorted()
    .map((name) => `.gsd/capabilities/${name}`)
