import type { Context } from '../../context.ts'
import { runtimesInRecord } from '../../host/edit/plan-placed-file.ts'
import { hostChanges, openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { mayStayWired } from '../../host/wiring/rewire.ts'
import { unwire } from '../../host/wiring/unwire.ts'
import { loadRegistryFor } from '../../overlay/load-registry.ts'
import { removeEmptyFolders, removeTree } from '../../platform/folders.ts'
import { gatesInText } from '../../registry/lost-gate.ts'
import type { Change } from '../../state/change.ts'
import { recordChange, withoutUnchanged } from '../../state/change.ts'
import { readCoreLedger } from '../../state/core-ledger.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import { type InstalledCapability, readInstalled } from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import { receiptTarget, receiptText } from '../../state/receipts.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readScopeState, type ScopeState } from '../../state/scope-state.ts'
import { runTransaction } from '../../transaction/run-transaction.ts'
import { listSurfaces } from '../../trust/list-surfaces.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { findLeftovers } from './leftovers.ts'
import { findOrphanReceipts, findOrphanWirings } from './orphan-wirings.ts'

/**
 * Fixes what needs no decision, as one operation: adds overlays that load without a ledger entry to the ledger, with `adopt`
 * those that GSD Core installed too, and removes
 * hooks that must not be in hosts and what interrupted operations left behind.
 * @throws STATE_*, HOST_*, LOCK_*
 */
export const fixScope = async (
  context: Context,
  paths: ScopePaths,
  { adopt }: { readonly adopt: boolean },
): Promise<readonly string[]> => {
  const loaded = await loadRegistryFor(context)
  const core = adopt ? readCoreLedger(context.disk, paths) : new Map<string, string>()
  const orphans = loaded.rows
    .filter(
      (row) => row.scope === paths.scope && (row.status === 'orphan' || (row.status === 'active' && core.has(row.id))),
    )
    .map(({ id }) => id)
  const { adopted: added } = await runTransaction(context, paths, {
    command: 'doctor --fix',
    plan: () => {
      for (const path of findLeftovers(context, paths, { locked: true })) removeTree(context.disk, path)
      removeEmptyFolders(context.disk, [paths.staging, paths.trash])
      return planFix(context, paths, orphans)
    },
    inputs: ({ adopted }) => ({
      texts: adopted.map(({ id, tree }) => ({
        to: receiptTarget(id),
        text: receiptText(id, tree?.digest ?? '', tree?.files ?? [], gatesInText(tree?.manifest ?? null)),
      })),
    }),
  })
  return added.map(({ id }) => id)
}

interface FixPlan {
  readonly changes: readonly Change[]
  readonly adopted: readonly InstalledCapability[]
}

const planFix = (context: Context, paths: ScopePaths, orphans: readonly string[]): FixPlan => {
  const state = readScopeState(context, paths)
  const hostFiles = openHostFileEditor(context, { roots: paths, hosts: state.hostRecords })
  const found = orphans
    .filter((id) => !state.ledger.capabilities.has(id))
    .map((id) => readInstalled(context, paths, state, id))
    .filter(({ tree }) => tree !== null)
  // Links, devices and unreadable files would be missing from the digest.
  const adopted = found.filter(({ tree }) => tree?.unexpected.length === 0)
  const ids = new Set(found.map(({ id }) => id))
  const trusted = found.filter((each) => mayStayWired(paths, state, each)).map(({ id }) => id)
  for (const { id, runtime } of findOrphanWirings(context, paths, state))
    if (!trusted.includes(id)) unwire(context, state.hostRecords, hostFiles, id, runtime)
  return {
    adopted,
    changes: withoutUnchanged([
      ...adopted.map(({ id, hasReceipt }): Change => ({
        kind: 'swap',
        target: receiptTarget(id),
        from: receiptTarget(id),
        replaces: hasReceipt,
      })),
      ...findOrphanReceipts(context, paths, state)
        .filter((id) => !ids.has(id))
        .map((id): Change => ({ kind: 'swap', target: receiptTarget(id), from: null, replaces: true })),
      ...hostChanges(hostFiles),
      ...adopted.map((installed) =>
        recordChange('ledger', ['capabilities', installed.id], null, {
          ...adoptedEntry(installed),
          runtimes: trusted.includes(installed.id) ? wiredRuntimes(state, installed.id) : [],
        }),
      ),
    ]),
  }
}

/** Hosts that have entries of a capability, sorted. */
const wiredRuntimes = ({ hostRecords }: ScopeState, id: string): string[] =>
  [
    ...new Set(
      [...hostRecords.files.values()]
        .filter(({ entries }) => Object.hasOwn(entries, id))
        .flatMap((file) => runtimesInRecord(file, id)),
    ),
  ].sort()

/** Its source is unknown, so its own folder is recorded. */
const adoptedEntry = (installed: InstalledCapability): Omit<LedgerEntry, 'runtimes'> => {
  const manifest = manifestOf(installed)
  const files = installed.tree?.files ?? []
  return {
    version: manifest.version,
    spec: `./.gsd/capabilities/${installed.id}`,
    resolved: { kind: 'local' },
    integrity: null,
    digest: installed.tree?.digest ?? '',
    requires: [...manifest.requires],
    surfaces: surfaceSignature(listSurfaces(manifest, files)),
  }
}
