import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { KnownHosts } from '../../host/runtimes/known-hosts.ts'
import { hookNotices } from '../../host/wiring/hook-notices.ts'
import type { HostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { unwire } from '../../host/wiring/unwire.ts'
import { wire, type Wiring } from '../../host/wiring/wire.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import { versionReader } from '../../resolve/read-version.ts'
import { hasSelector } from '../../spec/has-selector.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import { isSameSource } from '../../spec/same-source.ts'
import type { Spec } from '../../spec/spec.ts'
import { findConsent } from '../../state/find-consent.ts'
import {
  consentRecordOf,
  consentSubject,
  fileFingerprint,
  scopeConsentKey,
  type ConsentRecord,
} from '../../state/grants.ts'
import { readInstalled, type InstalledTree } from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, type ScopeState } from '../../state/scope-state.ts'
import { consentBaseline } from '../../trust/consent/consent-baseline.ts'
import { createConsentTarget } from '../../trust/consent/consent-target.ts'
import { createDisclosure, type Disclosure } from '../../trust/disclosure.ts'
import { canonicalJson } from '../../trust/signature.ts'
import { decideInstall, type InstallDecision } from './decide-install.ts'
import type { InstallRequest } from './install-request.ts'
import { planPreservedFiles, type PreservedFiles } from './preserved-files.ts'

/** What will be done with one capability. */
export interface InstallStep {
  readonly prepared: Prepared
  readonly decision: InstallDecision
  readonly entry: LedgerEntry
  readonly entryBefore: LedgerEntry | null
  readonly consent: { readonly key: string; readonly before: ConsentRecord | null; readonly after: ConsentRecord }
  readonly wiring: Wiring
  /** What hosts will not do with its hooks. */
  readonly notices: readonly Diagnostic[]
  readonly preserved: PreservedFiles
  /** A receipt exists already. */
  readonly hadReceipt: boolean
  readonly disclosure: Disclosure
  /** Files that differ from what is installed; empty for a new capability. */
  readonly changed: readonly string[]
  readonly unchanged: boolean
}

/** The request and the current state. */
export interface InstallContext {
  readonly context: Context
  readonly request: InstallRequest
  readonly paths: ScopePaths
  readonly state: ScopeState
  readonly hostFileEditor: HostFileEditor
  readonly knownHosts: KnownHosts
  /** Policy asks for consent to changed prose too. */
  readonly proseConsent: boolean
}

/** Decides what to do with one prepared capability. @throws STATE_*, HOST_* */
export const planInstallStep = (install: InstallContext, prepared: Prepared): InstallStep => {
  const { context, request, paths, state } = install
  const { id, version } = prepared.manifest
  const subject = consentSubject(paths)
  const installed = readInstalled(context, paths, state, id)
  const { entry: entryBefore, hasReceipt } = installed
  const recorded = entryBefore === null ? null : parseRecordedSpec(context, paths, entryBefore)
  const decision = decideInstall(prepared, {
    installed,
    spec: recorded,
    consent: findConsent(state.grants, { ...subject, id, digest: prepared.digest, surfaces: prepared.signature }),
    force: request.force,
    replace: request.replace,
    proseConsent: install.proseConsent,
  })
  const preserved = planPreservedFiles(context.disk, paths, installed, {
    fresh: prepared.staged.files,
    keep: decision.preserveEdits,
  })
  const runtimes = [...new Set([...(entryBefore?.runtimes ?? []), ...request.runtimes])]
  const wiring = planWiring(install, prepared, runtimes)
  const source = keepsSource(prepared, { entryBefore, recorded, replace: request.replace }) ? entryBefore : null
  const entry: LedgerEntry = {
    version,
    spec: source?.spec ?? prepared.recordedSpec,
    resolved: source?.resolved ?? prepared.resolved,
    integrity: source === null ? prepared.integrity : source.integrity,
    digest: prepared.digest,
    requires: [...prepared.manifest.requires],
    ...(isAuto(request, prepared, entryBefore) ? { auto: true as const } : {}),
    surfaces: prepared.signature,
    runtimes: wiring.runtimes,
  }
  const key = scopeConsentKey(paths, id)
  const consentBefore = state.grants.byKey.get(key) ?? null
  const agreed = createConsentTarget(context, { ...prepared, files: prepared.staged.files })
  // Without a question, the recorded destinations of lanes stay.
  const target = decision.consent === null ? { ...agreed, hosts: consentBefore?.hosts ?? agreed.hosts } : agreed
  const consentAfter = consentRecordOf(subject, target, consentBefore, new Date(context.now()))
  const isCurrent =
    entryBefore !== null && sameEntry(entryBefore, entry) && !decision.placeBundle && !decision.changeSource
  return {
    prepared,
    decision,
    entry: isCurrent ? entryBefore : entry,
    entryBefore,
    consent: { key, before: consentBefore, after: consentAfter },
    wiring,
    notices: wiring.hooked.flatMap((runtime) => hookNotices(context, { id, paths, runtime })),
    hadReceipt: hasReceipt,
    preserved,
    disclosure: createDisclosure({
      manifest: prepared.manifest,
      files: prepared.staged.files,
      scope: paths.scope,
      spec: prepared.recordedSpec,
      digest: prepared.digest,
      edits: wiring.wired,
      hidden: prepared.hidden,
      baseline: consentBaseline(consentBefore, installed),
      readFile: versionReader(context.disk, prepared.staged.dir),
      readBefore: installed.tree === null ? null : versionReader(context.disk, installed.dir),
    }),
    changed: installed.tree === null ? [] : changedFiles(withoutExtra(installed.tree), prepared.staged.files),
    unchanged: isCurrent && hasReceipt && consentBefore === consentAfter,
  }
}

/**
 * Whether the same content keeps the recorded source: typed without a selector, or found in another source. A selector that
 * was typed counts, also with the same content (contract, "Specs").
 */
const keepsSource = (
  prepared: Prepared,
  {
    entryBefore,
    recorded,
    replace,
  }: { readonly entryBefore: LedgerEntry | null; readonly recorded: Spec | null; readonly replace: boolean },
): boolean => {
  if (entryBefore === null || replace || entryBefore.digest !== prepared.digest) return false
  const isSame = recorded !== null && isSameSource(recorded, prepared.spec)
  return !isSame || (entryBefore.spec !== prepared.recordedSpec && !hasSelector(prepared.spec))
}

/** Null for a spec of a newer version or a damaged one. */
const parseRecordedSpec = ({ home }: Context, { realRoot }: ScopePaths, { spec }: LedgerEntry): Spec | null => {
  try {
    return parseSpec(spec, { cwd: realRoot, home })
  } catch (error) {
    if (error instanceof GsdError) return null
    throw error
  }
}

/** A disabled capability is not wired until it is enabled again. */
const planWiring = (
  { context, request, paths, state, hostFileEditor, knownHosts }: InstallContext,
  prepared: Prepared,
  runtimes: readonly string[],
): Wiring => {
  const { manifest, staged } = prepared
  const { settings, force, strict = false } = request
  const target = {
    paths,
    manifest,
    files: staged.files,
    from: staged.dir,
    runtimes,
    known: knownHosts,
    settings,
    force,
    strict,
    links: 'refuse',
  } as const
  if (!isSwitchedOff(manifest.id, state)) return wire(context, state.hostRecords, hostFileEditor, target)
  unwire(context, state.hostRecords, hostFileEditor, manifest.id, null)
  return {
    wired: [],
    notWired: runtimes.map((runtime) => ({ runtime, reason: `${manifest.id} is disabled` })),
    runtimes: runtimes.toSorted(),
    hooked: [],
    linked: [],
  }
}

/** A capability named on the command line is no longer just a requirement. */
const isAuto = ({ keepAuto }: InstallRequest, { auto }: Prepared, before: LedgerEntry | null): boolean =>
  auto === true ? before === null || before.auto === true : keepAuto === true && before?.auto === true

const sameEntry = (a: LedgerEntry, b: LedgerEntry): boolean =>
  a.digest === b.digest &&
  a.auto === b.auto &&
  a.spec === b.spec &&
  a.integrity === b.integrity &&
  canonicalJson([a.runtimes, a.resolved]) === canonicalJson([b.runtimes, b.resolved])

/** Files the capability created are not changed by an update. */
const withoutExtra = ({ files, drift }: InstalledTree): readonly BundleFile[] => {
  const extra = new Set(drift?.extra.map(({ path }) => path))
  return files.filter(({ path }) => !extra.has(path))
}

/** Paths of files that differ between two bundles. */
const changedFiles = (before: readonly BundleFile[], after: readonly BundleFile[]): readonly string[] => {
  const [old, target] = [fileHashes(before), fileHashes(after)]
  return [...new Set([...old.keys(), ...target.keys()])].filter((path) => old.get(path) !== target.get(path)).toSorted()
}

const fileHashes = (files: readonly BundleFile[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file.path, fileFingerprint(file)]))
