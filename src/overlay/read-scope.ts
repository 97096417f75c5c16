import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { DeclaredGate } from '../registry/lost-gate.ts'
import { type CoreLedger, coreLedgerFile, readCoreLedger } from '../state/core-ledger.ts'
import type { Grants } from '../state/grants.ts'
import { readHostRecords } from '../state/host-records.ts'
import { type Ledger, readLedger } from '../state/ledger.ts'
import { readReceipt, receiptFile } from '../state/receipts.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { StateFile } from '../state/state-file.ts'
import { readSwitches, type Switches } from '../state/switches.ts'
import type { BundleFacts } from './bundle-facts.ts'
import type { StatTracker } from './cache/stat-tracker.ts'
import { checkConsent } from './check-consent.ts'
import { discoverBundles, type FoundFolder } from './discover.ts'
import type { Overlay, LoadError } from './overlay.ts'
import { type EngineCheck, readOverlay } from './read-overlay.ts'

export interface ReadScopeOptions {
  readonly tracker: StatTracker
  readonly disk: Disk
  readonly engines: EngineCheck
  /** Read only when an overlay needs consent. */
  readonly consents: () => StateFile<Grants>
  readonly factsOf: (dir: string, manifest: Manifest) => BundleFacts
}

/** The content of one scope. */
export interface ScopeReading {
  readonly paths: ScopePaths
  readonly overlays: readonly Overlay[]
  /** Null where the file does not exist or cannot be read. */
  readonly ledger: Ledger | null
  /** False where the file exists but cannot be read, so its entries are unknown. */
  readonly isLedgerReadable: boolean
  readonly state: Switches | null
  /** What GSD Core installed here; read only where a bundle is in no ledger. */
  readonly coreLedger: CoreLedger
  readonly warnings: readonly Diagnostic[]
  /** Id → the gates it declared when it was installed, of those whose manifest says nothing now. */
  readonly recordedGates: ReadonlyMap<string, readonly DeclaredGate[]>
}

/** Reads the bundles, ledger, switches and host records of a scope. Never throws for what it finds; writes nothing. */
export const readScope = (paths: ScopePaths, options: ReadScopeOptions): ScopeReading => {
  const { tracker, disk } = options
  const { folders, refusal } = discoverBundles(tracker, paths)
  const scope = paths.scope
  const isLinked = refusal?.code === 'OVERLAY_LINKED'
  const ledger = isLinked ? ABSENT_FILE : readTracked(tracker, paths.ledger, () => readLedger(disk, paths))
  const state = isLinked ? ABSENT_FILE : readTracked(tracker, paths.state, () => readSwitches(disk, paths))
  const hosts = readTracked(tracker, paths.hosts, () => readHostRecords(disk, paths))
  const gate = paths.trusted ? () => null : consentGate(paths, options)
  const overlays = folders.map((folder) => readOverlay(folder, { ...options, origin: scope, gate }))
  return {
    paths,
    overlays,
    recordedGates: recordedGates(silentIds(overlays, valueOrNull(ledger)), paths, options),
    ledger: valueOrNull(ledger),
    isLedgerReadable: ledger.state !== 'unreadable',
    state: valueOrNull(state),
    coreLedger: overlays.every(({ id }) => valueOrNull(ledger)?.capabilities.has(id) === true)
      ? new Map()
      : readTrackedCoreLedger(paths, options),
    warnings: [
      ...(refusal === null
        ? []
        : [
            diagnostic('warning', refusal.code, `no capability of the ${scope} scope is loaded: ${refusal.reason}`, {
              scope,
              file: paths.capabilities,
              hint: `replace ${quote(paths.capabilities)} with an ordinary folder`,
            }),
          ]),
      ...[ledger, state, hosts].flatMap((file) => unreadableFileWarnings(file, scope)),
    ],
  }
}

const readTrackedCoreLedger = (paths: ScopePaths, { tracker, disk }: ReadScopeOptions): CoreLedger => {
  const stat = tracker.lstat(coreLedgerFile(paths))
  const target = typeof stat !== 'string' && stat.isSymbolicLink() ? tracker.realpath(coreLedgerFile(paths)) : null
  if (target !== null) tracker.lstat(target)
  return typeof stat === 'string' ? new Map() : readCoreLedger(disk, paths)
}

const ABSENT_FILE = { state: 'absent' } as const

/** What is installed and whose manifest is gone, or says nothing of gates. */
const silentIds = (overlays: readonly Overlay[], ledger: Ledger | null): readonly string[] => {
  const speaking = new Set(overlays.filter((it) => it.kind === 'usable' || it.gates.length > 0).map(({ id }) => id))
  return [...(ledger?.capabilities.keys() ?? [])].filter((id) => !speaking.has(id))
}

const recordedGates = (
  ids: readonly string[],
  paths: ScopePaths,
  { tracker, disk }: ReadScopeOptions,
): ReadonlyMap<string, readonly DeclaredGate[]> =>
  new Map(
    ids.map((id) => {
      const receipt = readTracked(tracker, receiptFile(paths, id), () => readReceipt(disk, paths, id))
      return [id, receipt.state === 'ok' ? receipt.value.gates : []]
    }),
  )

const consentGate =
  (paths: ScopePaths, options: ReadScopeOptions) =>
  (manifest: Manifest, found: FoundFolder): LoadError | null =>
    checkConsent(found, manifest, {
      paths,
      consents: options.consents(),
      factsOf: options.factsOf,
      exists: (folder) => typeof options.tracker.lstat(folder) !== 'string',
    })

const valueOrNull = <T>(file: StateFile<T>): T | null => (file.state === 'ok' ? file.value : null)

/** Reports a state file that cannot be read. */
export const unreadableFileWarnings = (file: StateFile<unknown>, scope?: ScopePaths['scope']): Diagnostic[] =>
  file.state === 'unreadable'
    ? [{ ...file.diagnostic, severity: 'warning', ...(scope === undefined ? {} : { scope }) }]
    : []

/** Records the stats of a state file, then reads it, so that a later change of the file is noticed. */
export const readTracked = <T>(tracker: StatTracker, file: string, read: () => StateFile<T>): StateFile<T> => {
  const stat = tracker.lstat(file)
  if (stat === 'ENOENT' || stat === 'ENOTDIR') return ABSENT_FILE
  const target = typeof stat !== 'string' && stat.isSymbolicLink() ? tracker.realpath(file) : null
  if (target !== null) tracker.lstat(target)
  return read()
}
