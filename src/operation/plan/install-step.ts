import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { KnownHosts } from '../../host/known-hosts.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { Spec } from '../../spec/spec.ts'
import { consentRecordOf, consentSubject, fileMark, grantKey, type ConsentRecord } from '../../store/consent.ts'
import { findConsent } from '../../store/find-consent.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { disclosureOf, type Disclosure } from '../../trust/disclosure.ts'
import { consentableOf } from '../consent/consentable.ts'
import { readInstalled, type InstalledTree } from '../installed/installed.ts'
import { letInBefore } from '../installed/let-in-before.ts'
import { isOff, type ScopeState } from '../installed/scope-state.ts'
import type { Prepared } from '../prepare/prepare.ts'
import type { HostBook } from '../wiring/host-book.ts'
import { unwire, wire, type Wiring } from '../wiring/wiring.ts'
import { decideInstall, type InstallDecision } from './decide-install.ts'
import type { InstallRequest } from './install-request.ts'
import { survivorsOf, type Survivors } from './keep-copies.ts'

/** What is going to be done with one capability. */
export interface InstallStep {
  readonly prepared: Prepared
  readonly decision: InstallDecision
  readonly entry: LedgerEntry
  readonly entryBefore: LedgerEntry | null
  readonly consent: { readonly key: string; readonly before: ConsentRecord | null; readonly after: ConsentRecord }
  readonly wiring: Wiring
  readonly survivors: Survivors
  /** A receipt stands there already. */
  readonly hadReceipt: boolean
  readonly disclosure: Disclosure
  /** Files that differ from what is installed; empty for a new capability. */
  readonly changed: readonly string[]
  readonly unchanged: boolean
}

/** What a step is planned in: the request, and what is there. */
export interface InstallWorld {
  readonly context: Context
  readonly request: InstallRequest
  readonly places: ScopePlaces
  readonly state: ScopeState
  readonly book: HostBook
  readonly known: KnownHosts
}

/** Decides what is to be done with one prepared capability. @throws STATE_*, HOST_* */
export const planStep = (world: InstallWorld, prepared: Prepared): InstallStep => {
  const { context, request, places, state } = world
  const { id, version } = prepared.manifest
  const subject = consentSubject(places)
  const installed = readInstalled(context, places, state, id)
  const { entry: entryBefore, hasReceipt } = installed
  const decision = decideInstall(prepared, {
    installed,
    spec: entryBefore === null ? null : recordedSpec(context, places, entryBefore),
    consent: findConsent(state.consents, { ...subject, id, digest: prepared.digest, surfaces: prepared.signature }),
    force: request.force,
    replace: request.replace,
    trusted: places.trusted,
  })
  const survivors = survivorsOf(context.disk, places, installed, { fresh: prepared.staged.files, keep: decision.keep })
  const runtimes = [...new Set([...(entryBefore?.runtimes ?? []), ...request.runtimes])]
  const wiring = wireOrNot(world, prepared, runtimes)
  const entry: LedgerEntry = {
    version,
    spec: prepared.recorded,
    resolved: prepared.resolved,
    integrity: prepared.integrity,
    digest: prepared.digest,
    requires: [...prepared.manifest.requires],
    ...(isAuto(request, prepared, entryBefore) ? { auto: true as const } : {}),
    surfaces: prepared.signature,
    runtimes: wiring.runtimes,
  }
  const key = grantKey(places, id)
  const consentBefore = state.consents.grants.get(key) ?? null
  const agreed = consentableOf(context, { ...prepared, files: prepared.staged.files })
  // Whoever is not asked has not agreed to another destination of a lane either.
  const fresh = decision.consent === null ? { ...agreed, hosts: consentBefore?.hosts ?? agreed.hosts } : agreed
  const consentAfter = consentRecordOf(subject, fresh, consentBefore, new Date(context.now()))
  const settled = entryBefore !== null && sameEntry(entryBefore, entry) && !decision.place && !decision.moves
  return {
    prepared,
    decision,
    entry: settled ? entryBefore : entry,
    entryBefore,
    consent: { key, before: consentBefore, after: consentAfter },
    wiring,
    hadReceipt: hasReceipt,
    survivors,
    disclosure: disclosureOf({
      manifest: prepared.manifest,
      files: prepared.staged.files,
      scope: places.scope,
      spec: prepared.recorded,
      digest: prepared.digest,
      edits: wiring.wired,
      hidden: prepared.hidden,
      before: letInBefore(consentBefore, installed),
    }),
    changed: installed.tree === null ? [] : changedFiles(withoutExtra(installed.tree), prepared.staged.files),
    unchanged: settled && hasReceipt && consentBefore === consentAfter,
  }
}

/** Null for a spec of a newer version, or one that was damaged by hand: then it is no source we know. */
const recordedSpec = ({ home }: Context, { realRoot }: ScopePlaces, { spec }: LedgerEntry): Spec | null => {
  try {
    return parseSpec(spec, { cwd: realRoot, home })
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

/** What a disabled capability brings stays out of the hosts until it is enabled again. */
const wireOrNot = (
  { context, request, places, state, book, known }: InstallWorld,
  prepared: Prepared,
  runtimes: readonly string[],
): Wiring => {
  const { manifest, staged } = prepared
  const { settings, force } = request
  const wish = { places, manifest, files: staged.files, from: staged.dir, runtimes, known, settings, force }
  if (!isOff(manifest.id, state)) return wire(context, state.hosts, book, wish)
  unwire(context, state.hosts, book, manifest.id, null)
  return {
    wired: [],
    notWired: runtimes.map((runtime) => ({ runtime, reason: `${manifest.id} is disabled` })),
    runtimes: runtimes.toSorted(),
  }
}

/** Asked for by name, a capability is wanted for itself from then on. */
const isAuto = ({ keepAuto }: InstallRequest, { auto }: Prepared, before: LedgerEntry | null): boolean =>
  auto === true ? before === null || before.auto === true : keepAuto === true && before?.auto === true

const sameEntry = (a: LedgerEntry, b: LedgerEntry): boolean =>
  a.digest === b.digest && a.auto === b.auto && JSON.stringify(a.runtimes) === JSON.stringify(b.runtimes)

/** Files a capability made beside its own are not what an update changes. */
const withoutExtra = ({ files, drift }: InstalledTree): readonly BundleFile[] => {
  const extra = new Set(drift?.extra.map(({ path }) => path))
  return files.filter(({ path }) => !extra.has(path))
}

/** Paths of files that differ between two bundles. */
const changedFiles = (before: readonly BundleFile[], after: readonly BundleFile[]): readonly string[] => {
  const [old, fresh] = [marksOf(before), marksOf(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((path) => old.get(path) !== fresh.get(path)).toSorted()
}

const marksOf = (files: readonly BundleFile[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file.path, fileMark(file)]))
