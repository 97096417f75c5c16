import type { Context } from '../../context.ts'
import { hostsOfRecord } from '../../host/plan-placed.ts'
import { loadWorld } from '../../overlay/load-world.ts'
import { removeEmptyFolders } from '../../store/folders.ts'
import type { Change } from '../../store/journal-entry.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { receiptTarget, receiptText } from '../../store/receipts.ts'
import { removeTree } from '../../store/remove-tree.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { manifestOf } from '../installed/installed-manifest.ts'
import { readInstalled, type Installed } from '../installed/installed.ts'
import { readScopeState, type ScopeState } from '../installed/scope-state.ts'
import { record, withoutIdle } from '../transaction/changes.ts'
import { commit } from '../transaction/commit.ts'
import { hostChanges, openHostBook } from '../wiring/host-book.ts'
import { isAgreed } from '../wiring/rewire.ts'
import { unwire } from '../wiring/wiring.ts'
import { leftoversOf } from './leftovers.ts'
import { strayReceipts, strayWirings } from './strays.ts'

/**
 * Mends what needs no decision: adopts overlays that load without a ledger entry, takes hooks out of hosts that must not
 * stand there, and what dead operations left. One operation.
 * @throws STATE_*, HOST_*, LOCK_*
 */
export const fixScope = async (context: Context, places: ScopePlaces): Promise<void> => {
  const world = await loadWorld(context)
  const orphans = world.rows.filter((row) => row.scope === places.scope && row.status === 'orphan').map(({ id }) => id)
  await commit(context, places, {
    command: 'doctor --fix',
    plan: () => {
      for (const path of leftoversOf(context, places, { locked: true })) removeTree(context.disk, path)
      removeEmptyFolders(context.disk, [places.staging, places.trash])
      return planFix(context, places, orphans)
    },
    brings: ({ adopted }) => ({
      texts: adopted.map(({ id, tree }) => ({
        to: receiptTarget(id),
        text: receiptText(id, tree?.digest ?? '', tree?.files ?? []),
      })),
    }),
  })
}

interface FixPlan {
  readonly changes: readonly Change[]
  readonly adopted: readonly Installed[]
}

const planFix = (context: Context, places: ScopePlaces, orphans: readonly string[]): FixPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const found = orphans
    .filter((id) => !state.ledger.capabilities.has(id))
    .map((id) => readInstalled(context, places, state, id))
    .filter(({ tree }) => tree !== null)
  // What stands there as something else, or cannot be read, would be missing from the digest.
  const adopted = found.filter(({ tree }) => tree?.odd.length === 0)
  const ids = new Set(found.map(({ id }) => id))
  const trusted = found.filter((each) => places.trusted || isAgreed(places, state, each)).map(({ id }) => id)
  for (const { id, runtime } of strayWirings(context, places, state))
    if (!trusted.includes(id)) unwire(context, state.hosts, book, id, runtime)
  return {
    adopted,
    changes: withoutIdle([
      ...adopted.map(({ id, hasReceipt }): Change => ({
        kind: 'swap',
        target: receiptTarget(id),
        from: receiptTarget(id),
        replaces: hasReceipt,
      })),
      ...strayReceipts(context, places, state)
        .filter((id) => !ids.has(id))
        .map((id): Change => ({ kind: 'swap', target: receiptTarget(id), from: null, replaces: true })),
      ...hostChanges(book),
      ...adopted.map((installed) =>
        record('ledger', ['capabilities', installed.id], null, {
          ...entryFor(installed),
          runtimes: trusted.includes(installed.id) ? runtimesOf(state, installed.id) : [],
        }),
      ),
    ]),
  }
}

/** Hosts in which something of a capability stands, sorted. */
const runtimesOf = ({ hosts }: ScopeState, id: string): string[] =>
  [
    ...new Set(
      [...hosts.files.values()]
        .filter(({ entries }) => Object.hasOwn(entries, id))
        .flatMap((file) => hostsOfRecord(file, id)),
    ),
  ].sort()

/** It came from nowhere that could be asked again, so its own folder is its source. */
const entryFor = (installed: Installed): Omit<LedgerEntry, 'runtimes'> => {
  const manifest = manifestOf(installed)
  const files = installed.tree?.files ?? []
  return {
    version: manifest.version,
    spec: `./.gsd/capabilities/${installed.id}`,
    resolved: { kind: 'local' },
    integrity: null,
    digest: installed.tree?.digest ?? '',
    requires: [...manifest.requires],
    surfaces: surfaceSignature(surfacesOf(manifest, files)),
  }
}
