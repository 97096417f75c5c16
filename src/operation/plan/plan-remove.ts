import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Diagnostic, ScopeName } from '../../diagnostic.ts'
import { grantKey } from '../../store/consent.ts'
import type { Change } from '../../store/journal-entry.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { receiptTarget } from '../../store/receipts.ts'
import { readInstalled, refuseOddities } from '../installed/installed.ts'
import { entryOf } from '../installed/ledger-entry-of.ts'
import { readScopeState, type ScopeState } from '../installed/scope-state.ts'
import { record, withoutIdle } from '../transaction/changes.ts'
import type { StagedCopy } from '../transaction/commit.ts'
import { hostChanges, openHostBook, type HostBook } from '../wiring/host-book.ts'
import { unwire } from '../wiring/wiring.ts'

/** What `capability remove` was asked to do, made whole at the door. */
export interface RemoveRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  /** Take it out of this host only, and leave it installed. */
  readonly runtime: string | null
  readonly purgeData: boolean
  /** Remove it although something requires it. */
  readonly force: boolean
  readonly dryRun: boolean
}

/** What a removal is going to do, decided and not begun. */
export interface RemovePlan {
  readonly entries: readonly (LedgerEntry & { readonly id: string })[]
  readonly changes: readonly Change[]
  /** Files of the user's in a bundle's folder, which stay there. */
  readonly staged: readonly StagedCopy[]
  readonly kept: readonly string[]
  /** Capabilities that came along as requirements and that nothing requires any more. */
  readonly idle: readonly string[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Reads what is there and decides everything; writes nothing.
 * @throws STATE_NOT_INSTALLED, STATE_*, HOST_*
 */
export const planRemove = (context: Context, request: RemoveRequest, places: ScopePlaces): RemovePlan => {
  const state = readScopeState(context, places)
  const ids = [...new Set(request.ids)]
  const entries = ids.map((id) => ({ id, ...entryOf(state.ledger.capabilities, id, places) }))
  const book = openHostBook(context, state.hosts)
  const unwired = ids.flatMap((id) =>
    unwire(context, state.hosts, book, id, request.runtime).map((file) => ({ id, file })),
  )
  if (request.runtime !== null) return { ...outOfOneHost(request.runtime, entries, book), unwired }
  const folders = ids.map((id) => folderOf(context, places, state, { id, purge: request.purgeData }))
  return {
    entries,
    changes: withoutIdle([
      ...ids.map((id) => withoutConsent(state, places, id)),
      ...folders.flatMap(({ swaps }) => swaps),
      ...hostChanges(book),
      ...ids.map((id) => record('state', ['capabilities', id], state.state.capabilities.get(id) ?? null, null)),
      ...ids.map((id) => record('ledger', ['capabilities', id], state.ledger.capabilities.get(id) ?? null, null)),
    ]),
    staged: folders.flatMap(({ staged }) => staged),
    idle: idleWithout(state, ids),
    kept: folders.flatMap(({ staged }) => staged.map(({ from }) => from)),
    unwired,
    warnings: book.warnings(),
  }
}

/** Requirements of what goes, and theirs, that came along and that nothing left needs. */
const idleWithout = ({ ledger }: ScopeState, ids: readonly string[]): readonly string[] => {
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

const outOfOneHost = (
  runtime: string,
  entries: RemovePlan['entries'],
  book: HostBook,
): Omit<RemovePlan, 'unwired'> => ({
  entries,
  changes: withoutIdle([
    ...hostChanges(book),
    ...entries.map(({ id, ...entry }) =>
      record('ledger', ['capabilities', id], entry, {
        ...entry,
        runtimes: entry.runtimes.filter((each) => each !== runtime),
      }),
    ),
  ]),
  staged: [],
  idle: [],
  kept: [],
  warnings: book.warnings(),
})

const withoutConsent = ({ consents }: ScopeState, places: ScopePlaces, id: string): Change => {
  const key = grantKey(places, id)
  return record('consent', ['grants', key], consents.grants.get(key) ?? null, null)
}

interface Folder {
  readonly swaps: readonly Change[]
  readonly staged: readonly StagedCopy[]
}

/** The folder goes; what in it is not the capability's own, or was edited, comes back in its place. */
const folderOf = (
  context: Context,
  places: ScopePlaces,
  state: ScopeState,
  { id, purge }: { readonly id: string; readonly purge: boolean },
): Folder => {
  const installed = readInstalled(context, places, state, id)
  const { entry, tree, dir, hasReceipt } = installed
  const target = `capabilities/${id}`
  const receiptSwap = hasReceipt
    ? [{ kind: 'swap', target: receiptTarget(id), from: null, replaces: true } as const]
    : []
  if (tree === null) return { swaps: receiptSwap, staged: [] }
  if (!purge) refuseOddities(installed)
  const isWhole = tree.digest === entry?.digest && tree.odd.length === 0
  const foreign =
    purge || isWhole ? [] : tree.drift === null ? tree.files : [...tree.drift.changed, ...tree.drift.extra]
  const staged = foreign.map(({ path }) => ({ from: join(dir, path), to: `${target}/${path}` }))
  const bundleSwap = { kind: 'swap', target, from: staged.length === 0 ? null : target, replaces: true } as const
  return { swaps: [bundleSwap, ...receiptSwap], staged }
}
