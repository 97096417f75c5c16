import type { HostVersion } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { Consents } from '../store/consent.ts'
import type { Disk } from '../store/disk.ts'
import { readHosts } from '../store/hosts.ts'
import { type Ledger, readLedger } from '../store/ledger.ts'
import type { ScopePlaces } from '../store/places.ts'
import { readState, type State } from '../store/state.ts'
import type { StoreFile } from '../store/store-file.ts'
import { checkConsent } from './consent-check.ts'
import { discover, type Found } from './discover.ts'
import type { Overlay, Trouble } from './overlay.ts'
import { readOverlay } from './read-overlay.ts'
import type { TreeFacts } from './tree-facts.ts'
import type { Witness } from './witness.ts'

export interface ScopeOptions {
  readonly witness: Witness
  readonly disk: Disk
  readonly hostVersion: HostVersion
  /** Read only where an overlay of a scope that needs it is there. */
  readonly consents: () => StoreFile<Consents>
  readonly factsOf: (dir: string, manifest: Manifest) => TreeFacts
}

/** What one scope holds. */
export interface ScopeReading {
  readonly places: ScopePlaces
  readonly overlays: readonly Overlay[]
  /** Null where there is none, or none that can be read. */
  readonly ledger: Ledger | null
  /** False where there is one that cannot be read, so that nobody knows what stands in it. */
  readonly ledgerIsRead: boolean
  readonly state: State | null
  readonly warnings: readonly Diagnostic[]
}

/** Reads a scope's folder, ledger and state. Never throws for what it finds, and writes nothing. */
export const readScope = (places: ScopePlaces, options: ScopeOptions): ScopeReading => {
  const { witness, disk } = options
  const { found, refused } = discover(witness, places)
  const scope = places.scope
  const closed = refused?.code === 'OVERLAY_LINKED'
  const ledger = closed ? ABSENT : witnessed(witness, places.ledger, () => readLedger(disk, places))
  const state = closed ? ABSENT : witnessed(witness, places.state, () => readState(disk, places))
  const hosts = witnessed(witness, places.hosts, () => readHosts(disk, places))
  const gate = places.trusted ? () => null : consentGate(places, options)
  return {
    places,
    overlays: found.map((folder) => readOverlay(folder, { ...options, origin: scope, gate })),
    ledger: valueOf(ledger),
    ledgerIsRead: ledger.state !== 'unreadable',
    state: valueOf(state),
    warnings: [
      ...(refused === null
        ? []
        : [
            diagnostic('warning', refused.code, `no capability of the ${scope} scope is loaded: ${refused.reason}`, {
              scope,
              file: places.capabilities,
              hint: `make ${quote(places.capabilities)} an ordinary folder`,
            }),
          ]),
      ...[ledger, state, hosts].flatMap((file) => unreadable(file, scope)),
    ],
  }
}

const ABSENT = { state: 'absent' } as const

const consentGate =
  (places: ScopePlaces, options: ScopeOptions) =>
  (manifest: Manifest, found: Found): Trouble | null =>
    checkConsent(found, manifest, {
      places,
      consents: options.consents(),
      factsOf: options.factsOf,
      exists: (folder) => typeof options.witness.lstat(folder) !== 'string',
    })

const valueOf = <T>(file: StoreFile<T>): T | null => (file.state === 'ok' ? file.value : null)

/** A kept file that cannot be read is left alone and said. */
export const unreadable = (file: StoreFile<unknown>, scope?: ScopePlaces['scope']): Diagnostic[] =>
  file.state === 'unreadable'
    ? [{ ...file.diagnostic, severity: 'warning', ...(scope === undefined ? {} : { scope }) }]
    : []

/** Reads a kept file after looking at it, so that a later change of it is seen. */
export const witnessed = <T>(witness: Witness, file: string, read: () => StoreFile<T>): StoreFile<T> => {
  const look = witness.lstat(file)
  if (look === 'ENOENT' || look === 'ENOTDIR') return ABSENT
  const target = typeof look !== 'string' && look.isSymbolicLink() ? witness.realpath(file) : null
  if (target !== null) witness.lstat(target)
  return read()
}
