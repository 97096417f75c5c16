import type { Context } from '../../context.ts'
import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { KnownHosts } from '../../host/runtimes/known-hosts.ts'
import { hostChanges, type HostFileEditor, openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { quote } from '../../redact.ts'
import { isWayBack } from '../../resolve/prepare-update.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import { loadProseConsent } from '../../resolve/scope-fetch-context.ts'
import { hasSelector } from '../../spec/has-selector.ts'
import type { Change } from '../../state/change.ts'
import { recordChange, withoutUnchanged } from '../../state/change.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { receiptTarget } from '../../state/receipts.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readScopeState } from '../../state/scope-state.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import type { InstallRequest } from './install-request.ts'
import { type InstallStep, planInstallStep } from './install-step.ts'

/** What an install will do. */
export interface InstallPlan {
  readonly steps: readonly InstallStep[]
  /** In the order of application; empty if there is nothing to do. */
  readonly changes: readonly Change[]
  /** What needs consent. */
  readonly disclosures: readonly Disclosure[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Reads the current state and decides everything; writes nothing. Called once to disclose, and again under the lock.
 * @throws STATE_*, HOST_*
 */
export const planInstall = (
  context: Context,
  request: InstallRequest,
  paths: ScopePaths,
  prepared: readonly Prepared[],
  knownHosts: KnownHosts,
): InstallPlan => {
  const state = readScopeState(context, paths)
  const hostFileEditor = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const proseConsent = loadProseConsent(context)
  const steps = prepared.map((each) =>
    planInstallStep({ context, request, paths, state, hostFileEditor, knownHosts, proseConsent }, each),
  )
  if (!request.force)
    for (const {
      prepared: { manifest },
      entryBefore,
      entry,
    } of steps)
      refuseMovedTag(manifest.id, entryBefore, entry)
  if (request.downgrade !== true) for (const step of steps) refuseWayBack(step)
  const working = steps.filter((step) => !step.unchanged || editsHostFile(hostFileEditor, step))
  return {
    steps: steps.map((step) => (working.includes(step) ? Object.assign({}, step, { unchanged: false }) : step)),
    changes: working.length === 0 ? [] : changesOf(working, hostFileEditor),
    disclosures: working.filter(({ decision }) => decision.consent !== null).map(({ disclosure }) => disclosure),
    warnings: [...prepared.flatMap(({ warnings }) => warnings), ...hostFileEditor.warnings()],
  }
}

const editsHostFile = (hostFiles: HostFileEditor, { prepared }: InstallStep): boolean =>
  hostFiles.edits().some(({ id }) => id === prepared.manifest.id)

/** Consent, bundles, host files and their record, and the ledger last: it is the commit. */
const changesOf = (steps: readonly InstallStep[], hostFiles: HostFileEditor): readonly Change[] =>
  withoutUnchanged([
    ...steps.map(({ consent }) => recordChange('grants', ['grants', consent.key], consent.before, consent.after)),
    ...steps.flatMap(swapChanges),
    ...hostChanges(hostFiles),
    ...steps.map(({ prepared, entryBefore, entry }) =>
      recordChange('ledger', ['capabilities', prepared.manifest.id], entryBefore, entry),
    ),
  ])

const swapChanges = ({ prepared, decision, preserved, hadReceipt }: InstallStep): readonly Change[] => {
  const { id } = prepared.manifest
  const bundle = `capabilities/${id}`
  const receipt = receiptTarget(id)
  return [
    ...(decision.placeBundle ? preserved.changes : []),
    ...(decision.placeBundle
      ? [{ kind: 'swap', target: bundle, from: bundle, replaces: decision.replaces } as const]
      : []),
    ...(decision.placeBundle || !hadReceipt
      ? [{ kind: 'swap', target: receipt, from: receipt, replaces: hadReceipt } as const]
      : []),
  ]
}

/**
 * A tag must not move: one that names another commit than the ledger recorded was moved, by mistake or by an attacker.
 * @throws FETCH_TAG_MOVED
 */
export const refuseMovedTag = (id: string, before: LedgerEntry | null, after: LedgerEntry): void => {
  const { tag, commit } = before?.resolved ?? {}
  if (tag === undefined || commit === undefined || after.resolved.tag !== tag || after.resolved.commit === commit)
    return
  // The same content at another commit harms nobody, and the old commit may be gone.
  if (before?.digest === after.digest) return
  throw new GsdError(
    'FETCH_TAG_MOVED',
    `the tag ${quote(tag)} of ${quote(id)} was moved since the install: it is now ${after.resolved.commit ?? ''}, and was ${commit}`,
    {
      hint: 'ask its publisher why; --force installs the new commit',
      details: { id, tag, recorded: commit, found: after.resolved.commit },
    },
  )
}

/**
 * An older version than the installed one is taken only on request, unless the user typed what selects it.
 * @throws FETCH_OLDER
 */
const refuseWayBack = ({ prepared, entryBefore }: InstallStep): void => {
  if (entryBefore === null || !isWayBack(entryBefore, prepared)) return
  const { manifest, spec, recordedSpec } = prepared
  if (recordedSpec !== entryBefore.spec && hasSelector(spec)) return
  throw new GsdError(
    'FETCH_OLDER',
    `${quote(recordedSpec)} now has ${manifest.version} of ${quote(manifest.id)}, which is older than the installed ${entryBefore.version}`,
    {
      hint: 'its newer version may have been withdrawn: --downgrade installs the older one',
      details: { id: manifest.id, installed: entryBefore.version, found: manifest.version },
    },
  )
}
