import { join } from 'node:path'
import { hashTree } from '../bundle/hash-tree.ts'
import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import { consentKey, consentSubject, fileMark, type ConsentRecord } from '../store/consent.ts'
import { findConsent } from '../store/find-consent.ts'
import type { Change } from '../store/journal-entry.ts'
import type { LedgerEntry } from '../store/ledger-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { receiptTarget } from '../store/receipts.ts'
import { isDisabled } from '../store/state.ts'
import { disclosureOf, type Disclosure } from '../trust/disclosure.ts'
import { changedFiles, decideInstall, type InstallDecision, type Installed } from './decide-install.ts'
import { record, withoutIdle } from './changes.ts'
import { isThere } from './is-there.ts'
import { hostChanges, openHostBook, type HostBook } from './host-book.ts'
import type { InstallRequest } from './install-request.ts'
import type { Prepared } from './prepare.ts'
import { readScopeState, type ScopeState } from './scope-state.ts'
import { bundleDir, unwire, wire, type Wiring } from './wiring.ts'

/** What an install is going to do, decided and not begun. */
export interface InstallPlan {
  readonly steps: readonly InstallStep[]
  /** In the order in which they are applied; empty when there is nothing to do. */
  readonly changes: readonly Change[]
  /** What consent has to be asked for. */
  readonly disclosures: readonly Disclosure[]
  readonly warnings: readonly Diagnostic[]
}

export interface InstallStep {
  readonly prepared: Prepared
  readonly decision: InstallDecision
  readonly entry: LedgerEntry
  readonly entryBefore: LedgerEntry | null
  readonly consent: { readonly key: string; readonly before: ConsentRecord | null; readonly after: ConsentRecord }
  readonly wiring: Wiring
  /** A receipt stands there already. */
  readonly hadReceipt: boolean
  readonly disclosure: Disclosure
  /** Files that differ from what is installed; empty for a new capability. */
  readonly changed: readonly string[]
  readonly unchanged: boolean
}

/**
 * Reads what is there and decides everything; writes nothing. Called once to show and to ask, and again under the lock.
 * @throws STATE_*, HOST_*
 */
export const planInstall = (
  context: Context,
  request: InstallRequest,
  places: ScopePlaces,
  prepared: readonly Prepared[],
): InstallPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const steps = prepared.map((each) => planStep({ context, request, places, state, book }, each))
  const working = steps.filter((step) => !step.unchanged || touches(book, step))
  return {
    steps: steps.map((step) => (working.includes(step) ? { ...step, unchanged: false } : step)),
    changes: working.length === 0 ? [] : changesOf(working, book),
    disclosures: working.filter(({ decision }) => decision.consent !== null).map(({ disclosure }) => disclosure),
    warnings: [...prepared.flatMap(({ warnings }) => warnings), ...book.warnings()],
  }
}

interface World {
  readonly context: Context
  readonly request: InstallRequest
  readonly places: ScopePlaces
  readonly state: ScopeState
  readonly book: HostBook
}

const planStep = (world: World, prepared: Prepared): InstallStep => {
  const { context, request, places, state, book } = world
  const { id, version } = prepared.manifest
  const subject = consentSubject(places)
  const now = installedNow(world, prepared)
  const decision = decideInstall(prepared, now.installed, { force: request.force, replace: request.replace, trusted: places.trusted })
  const entryBefore = now.installed.entry
  const runtimes = [...new Set([...(entryBefore?.runtimes ?? []), ...request.runtimes])]
  const wiring = wireOrNot(world, prepared, runtimes)
  const entry: LedgerEntry = {
    version,
    spec: prepared.recorded,
    resolved: prepared.resolved,
    integrity: prepared.integrity,
    digest: prepared.digest,
    requires: [...prepared.manifest.requires],
    surfaces: prepared.signature,
    runtimes: wiring.runtimes,
  }
  const key = consentKey(subject.scope, subject.project, id)
  const consentBefore = state.consents.grants.get(key) ?? null
  const consentAfter = consentRecord(context, places, prepared, consentBefore)
  const hadReceipt = isThere(context.disk, join(places.gsd, receiptTarget(id)))
  const settled = entryBefore !== null && sameEntry(entryBefore, entry) && now.installed.digestNow === prepared.digest
  return {
    prepared,
    decision,
    entry: settled ? entryBefore : entry,
    entryBefore,
    consent: { key, before: consentBefore, after: consentAfter },
    wiring,
    hadReceipt,
    disclosure: disclosureOf({
      manifest: prepared.manifest,
      files: prepared.staged.files,
      scope: places.scope,
      spec: prepared.recorded,
      digest: prepared.digest,
      edits: wiring.wired,
    }),
    changed: now.files === null ? [] : changedFiles(now.files, prepared.staged.files),
    unchanged: settled && hadReceipt && consentBefore === consentAfter,
  }
}

/** What a disabled capability brings stays out of the hosts until it is enabled again. */
const wireOrNot = ({ context, request, places, state, book }: World, prepared: Prepared, runtimes: readonly string[]): Wiring => {
  const { manifest, staged } = prepared
  const wish = { places, manifest, files: staged.files, runtimes, settings: request.settings }
  if (!isDisabled(manifest.id, state.state, null)) return wire(context, state.hosts, book, wish)
  unwire(state.hosts, book, manifest.id, null)
  return {
    wired: [],
    notWired: runtimes.map((runtime) => ({ runtime, reason: `${manifest.id} is disabled` })),
    runtimes: runtimes.toSorted(),
  }
}

const installedNow = (
  { context, places, state }: World,
  { manifest: { id }, digest, signature }: Prepared,
): { readonly installed: Installed; readonly files: readonly BundleFile[] | null } => {
  const tree = treeAt(context, bundleDir(context, places, id))
  const entry = state.ledger.capabilities.get(id) ?? null
  const question = { ...consentSubject(places), id, digest, surfaces: signature }
  return {
    files: tree?.files ?? null,
    installed: {
      entry,
      spec: entry === null ? null : parseSpec(entry.spec, { cwd: places.realRoot, home: context.home }),
      digestNow: tree === null ? null : tree.odd.length > 0 ? 'odd' : bundleDigest(tree.files, tree.manifest),
      consent: findConsent(state.consents, question),
    },
  }
}

const treeAt = (context: Context, dir: string): ReturnType<typeof hashTree> | null =>
  isThere(context.disk, dir) ? hashTree(dir, context.disk) : null

const consentRecord = (
  context: Context,
  places: ScopePlaces,
  { manifest, digest, signature, staged }: Prepared,
  before: ConsentRecord | null,
): ConsentRecord => {
  if (before?.digest === digest && before.surfaces === signature) return before
  return {
    ...consentSubject(places),
    id: manifest.id,
    version: manifest.version,
    digest,
    surfaces: signature,
    files: Object.fromEntries(staged.files.map((file) => [file.path, fileMark(file)])),
    granted: new Date(context.now()).toISOString(),
  }
}

const sameEntry = (a: LedgerEntry, b: LedgerEntry): boolean =>
  a.digest === b.digest && JSON.stringify(a.runtimes) === JSON.stringify(b.runtimes)

const touches = (book: HostBook, { prepared }: InstallStep): boolean =>
  book.edits().some(({ id }) => id === prepared.manifest.id)

/** Consent, bundles, host files, what is written of them, and the ledger last: it is the commit. */
const changesOf = (steps: readonly InstallStep[], book: HostBook): readonly Change[] =>
  withoutIdle([
  ...steps.map(({ consent }) => record('consent', ['grants', consent.key], consent.before, consent.after)),
  ...steps.flatMap(swapsOf),
  ...hostChanges(book),
  ...steps.map(({ prepared, entryBefore, entry }) => record('ledger', ['capabilities', prepared.manifest.id], entryBefore, entry)),
])

const swapsOf = ({ prepared, decision, hadReceipt }: InstallStep): readonly Change[] => {
  const { id } = prepared.manifest
  const bundle = `capabilities/${id}`
  const receipt = receiptTarget(id)
  return [
    ...(decision.place ? [{ kind: 'swap', target: bundle, from: bundle, replaces: decision.replaces } as const] : []),
    ...(decision.place || !hadReceipt ? [{ kind: 'swap', target: receipt, from: receipt, replaces: hadReceipt } as const] : []),
  ]
}
