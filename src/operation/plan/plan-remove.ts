import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Diagnostic, ScopeName } from '../../diagnostic.ts'
import { hostChanges, type HostFileEditor, openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { unwire } from '../../host/wiring/unwire.ts'
import type { Change } from '../../state/change.ts'
import { recordChange, withoutUnchanged } from '../../state/change.ts'
import { scopeConsentKey } from '../../state/grants.ts'
import { readInstalled, refuseUnexpectedFiles } from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { requireLedgerEntry } from '../../state/ledger.ts'
import { receiptTarget } from '../../state/receipts.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readScopeState, type ScopeState } from '../../state/scope-state.ts'
import type { StagedCopy } from '../../transaction/fill-staging.ts'

/** The request of `capability remove`, with all defaults filled in. */
export interface RemoveRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  /** Remove it from this host only, and leave it installed. */
  readonly runtime: string | null
  readonly purgeData: boolean
  /** Remove it even if something requires it. */
  readonly force: boolean
  readonly dryRun: boolean
}

/** What a removal will do. */
export interface RemovePlan {
  readonly entries: readonly (LedgerEntry & { readonly id: string })[]
  readonly changes: readonly Change[]
  /** Files of the user in a bundle's folder, which stay there. */
  readonly preservedCopies: readonly StagedCopy[]
  readonly preservedPaths: readonly string[]
  /** Capabilities installed as requirements that nothing requires any more. */
  readonly noLongerNeeded: readonly string[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Reads the current state and decides everything; writes nothing.
 * @throws STATE_NOT_INSTALLED, STATE_*, HOST_*
 */
export const planRemove = (context: Context, request: RemoveRequest, paths: ScopePaths): RemovePlan => {
  const state = readScopeState(context, paths, { needsGrants: false })
  const ids = [...new Set(request.ids)]
  const entries = ids.map((id) => ({ id, ...requireLedgerEntry(state.ledger.capabilities, id, paths) }))
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const unwired = ids.flatMap((id) =>
    unwire(context, state.hostRecords, hostFiles, id, request.runtime).map((file) => ({ id, file })),
  )
  if (request.runtime !== null) return { ...planHostRemoval(request.runtime, entries, hostFiles), unwired }
  const folders = ids.map((id) => planFolderRemoval(context, paths, state, { id, purge: request.purgeData }))
  return {
    entries,
    changes: withoutUnchanged([
      ...ids.map((id) => consentRemoval(state, paths, id)),
      ...folders.flatMap(({ swaps }) => swaps),
      ...hostChanges(hostFiles),
      ...ids.map((id) =>
        recordChange('state', ['capabilities', id], state.switches.byCapability.get(id) ?? null, null),
      ),
      ...ids.map((id) => recordChange('ledger', ['capabilities', id], state.ledger.capabilities.get(id) ?? null, null)),
    ]),
    preservedCopies: folders.flatMap(({ preservedCopies }) => preservedCopies),
    noLongerNeeded: noLongerNeededWithout(state, ids),
    preservedPaths: folders.flatMap(({ preservedCopies }) => preservedCopies.map(({ from }) => from)),
    unwired,
    warnings: hostFiles.warnings(),
  }
}

/** Requirements that were installed automatically and that nothing remaining needs, transitively. */
const noLongerNeededWithout = ({ ledger }: ScopeState, ids: readonly string[]): readonly string[] => {
  const left = new Map([...ledger.capabilities].filter(([id]) => !ids.includes(id)))
  const idle: string[] = []
  for (;;) {
    const needed = new Set([...left.values()].flatMap(({ requires }) => requires))
    const next = [...left].find(([id, entry]) => entry.auto === true && !needed.has(id))
    if (next === undefined) return idle
    idle.push(next[0])
    left.delete(next[0])
  }
}

const planHostRemoval = (
  runtime: string,
  entries: RemovePlan['entries'],
  hostFiles: HostFileEditor,
): Omit<RemovePlan, 'unwired'> => ({
  entries,
  changes: withoutUnchanged([
    ...hostChanges(hostFiles),
    ...entries.map(({ id, ...entry }) =>
      recordChange('ledger', ['capabilities', id], entry, {
        ...entry,
        runtimes: entry.runtimes.filter((each) => each !== runtime),
      }),
    ),
  ]),
  preservedCopies: [],
  noLongerNeeded: [],
  preservedPaths: [],
  warnings: hostFiles.warnings(),
})

const consentRemoval = ({ grants }: ScopeState, paths: ScopePaths, id: string): Change => {
  const key = scopeConsentKey(paths, id)
  return recordChange('grants', ['grants', key], grants.byKey.get(key) ?? null, null)
}

interface FolderRemoval {
  readonly swaps: readonly Change[]
  readonly preservedCopies: readonly StagedCopy[]
}

/** Removes the folder, except files that were added or edited. */
const planFolderRemoval = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  { id, purge }: { readonly id: string; readonly purge: boolean },
): FolderRemoval => {
  const installed = readInstalled(context, paths, state, id)
  const { entry, tree, dir, hasReceipt } = installed
  const target = `capabilities/${id}`
  const receiptSwap = hasReceipt
    ? [{ kind: 'swap', target: receiptTarget(id), from: null, replaces: true } as const]
    : []
  if (tree === null) return { swaps: receiptSwap, preservedCopies: [] }
  if (!purge) refuseUnexpectedFiles(installed)
  const isWhole = tree.digest === entry?.digest && tree.unexpected.length === 0
  const foreign =
    purge || isWhole ? [] : tree.drift === null ? tree.files : [...tree.drift.changed, ...tree.drift.extra]
  const preservedCopies = foreign.map(({ path }) => ({ from: join(dir, path), to: `${target}/${path}` }))
  const bundleSwap = {
    kind: 'swap',
    target,
    from: preservedCopies.length === 0 ? null : target,
    replaces: true,
  } as const
  return { swaps: [bundleSwap, ...receiptSwap], preservedCopies }
}
