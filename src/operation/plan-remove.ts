import { join } from 'node:path'
import { hashTree } from '../bundle/hash-tree.ts'
import type { BundleFile } from '../bundle/bundle.ts'
import type { Context } from '../context.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { consentKey, consentSubject, fileMark } from '../store/consent.ts'
import type { Change } from '../store/journal-entry.ts'
import type { LedgerEntry } from '../store/ledger-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { readReceipt, receiptTarget } from '../store/receipts.ts'
import { record, withoutIdle } from './changes.ts'
import { hostChanges, openHostBook, type HostBook } from './host-book.ts'
import { isThere } from './is-there.ts'
import type { RemoveRequest } from './remove.ts'
import { readScopeState, type ScopeState } from './scope-state.ts'
import { bundleDir, unwire } from './wiring.ts'

/** A file that is copied into the staging folder before the operation begins. */
export interface StagedCopy {
  /** Absolute. */
  readonly from: string
  /** Relative to the staging folder of the operation. */
  readonly to: string
}

/** What a removal is going to do, decided and not begun. */
export interface RemovePlan {
  readonly entries: readonly (LedgerEntry & { readonly id: string })[]
  readonly changes: readonly Change[]
  /** Files of the user's in a bundle's folder, which stay there. */
  readonly staged: readonly StagedCopy[]
  readonly kept: readonly string[]
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
  const entries = ids.map((id) => ({ id, ...entryOf(state, id, places) }))
  const book = openHostBook(context, state.hosts)
  const unwired = ids.flatMap((id) => unwire(state.hosts, book, id, request.runtime).map((file) => ({ id, file })))
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
    kept: folders.flatMap(({ staged }) => staged.map(({ from }) => from)),
    unwired,
    warnings: book.warnings(),
  }
}

const entryOf = ({ ledger }: ScopeState, id: string, { scope }: ScopePlaces): LedgerEntry => {
  const entry = ledger.capabilities.get(id)
  if (entry !== undefined) return entry
  const nearest = nearestWord(id, [...ledger.capabilities.keys()])
  throw new GsdError('STATE_NOT_INSTALLED', `${quote(id)} is not installed in the ${scope} scope`, {
    hint: nearest === null ? 'gsd capability list shows what is' : `did you mean ${nearest}?`,
    details: { id, scope },
  })
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
  kept: [],
  warnings: book.warnings(),
})

const withoutConsent = ({ consents }: ScopeState, places: ScopePlaces, id: string): Change => {
  const subject = consentSubject(places)
  const key = consentKey(subject.scope, subject.project, id)
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
  const dir = bundleDir(context, places, id)
  const target = `capabilities/${id}`
  const receipt = receiptTarget(id)
  const hasReceipt = isThere(context.disk, join(places.gsd, receipt))
  const receiptSwap = hasReceipt ? [{ kind: 'swap', target: receipt, from: null, replaces: true } as const] : []
  if (!isThere(context.disk, dir)) return { swaps: receiptSwap, staged: [] }
  const isOwn = ownership(context, places, state, id)
  const foreign = purge ? [] : hashTree(dir, context.disk).files.filter((file) => !isOwn(file))
  const staged = foreign.map(({ path }) => ({ from: join(dir, path), to: `${target}/${path}` }))
  return {
    swaps: [{ kind: 'swap', target, from: staged.length === 0 ? null : target, replaces: true }, ...receiptSwap],
    staged,
  }
}

/**
 * Which files are the capability's own: as the user's record of consent has them, since a receipt in a project may come
 * from anybody; without that, as the receipt has them.
 */
const ownership = (
  { disk }: Context,
  places: ScopePlaces,
  { consents }: ScopeState,
  id: string,
): ((file: BundleFile) => boolean) => {
  const subject = consentSubject(places)
  const grant = consents.grants.get(consentKey(subject.scope, subject.project, id))
  if (grant !== undefined)
    return (file) => Object.hasOwn(grant.files, file.path) && grant.files[file.path] === fileMark(file)
  const receipt = readReceipt(disk, places, id)
  if (receipt.state !== 'ok') return () => false
  return (file) => {
    const known = receipt.value.files.get(file.path)
    return known !== undefined && fileMark(known) === fileMark(file)
  }
}
