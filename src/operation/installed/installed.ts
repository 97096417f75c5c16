import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import { bundleDigest } from '../../bundle/digest.ts'
import { hashTree } from '../../bundle/hash-tree.ts'
import { declaredHookScripts } from '../../bundle/hook-scripts.ts'
import type { Context } from '../../context.ts'
import type { ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { fileMark, grantKey } from '../../store/consent.ts'
import { isThere } from '../../store/is-there.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { readReceipt, receiptTarget, type Receipt } from '../../store/receipts.ts'
import type { StoreFile } from '../../store/store-file.ts'
import { bundleDir } from './bundle-dir.ts'
import type { ScopeState } from './scope-state.ts'

/** What stands in the place of a capability, looked at file by file. */
export interface Installed {
  readonly id: string
  readonly scope: ScopeName
  readonly entry: LedgerEntry | null
  /** Absolute path of the bundle's folder, whether or not it is there. */
  readonly dir: string
  readonly tree: InstalledTree | null
  readonly hasReceipt: boolean
  readonly receipt: StoreFile<Receipt>
}

export interface InstalledTree {
  readonly files: readonly BundleFile[]
  readonly manifest: Uint8Array | null
  /** Links, devices and the like, as sentences. */
  readonly odd: readonly string[]
  /** Hook scripts that no host can run any more, because they are not executable. The digest is the same all the same. */
  readonly dull: readonly BundleFile[]
  readonly digest: string
  /** Null where nobody remembers which files were installed. Without a manifest none of them were. */
  readonly drift: Drift | null
}

/** How the files differ from those that were installed. */
export interface Drift {
  /** Digest of what was installed; the ledger may have been changed since, by git for instance. */
  readonly of: string
  /** Files that were installed and read otherwise now. */
  readonly changed: readonly BundleFile[]
  /** Paths that were installed and are gone. */
  readonly missing: readonly string[]
  /** Files that were not installed: made by the capability, or put there by hand. */
  readonly extra: readonly BundleFile[]
}

/** Hashes the installed bundle and compares it with what was installed. @throws STATE_* where the folder cannot be listed */
export const readInstalled = (context: Context, places: ScopePlaces, state: ScopeState, id: string): Installed => {
  const dir = bundleDir(context, places, id)
  const { disk } = context
  const receipt = readReceipt(disk, places, id)
  return {
    id,
    scope: places.scope,
    dir,
    entry: state.ledger.capabilities.get(id) ?? null,
    tree: isThere(disk, dir) ? treeOf(context, places, state, { id, dir, receipt }) : null,
    hasReceipt: isThere(disk, join(places.gsd, receiptTarget(id))),
    receipt,
  }
}

/** True where the very files are there that the ledger records. What a capability made in its folder does not count. */
export const isAsRecorded = ({ entry, tree }: Installed): boolean => {
  if (tree === null || entry === null || tree.odd.length + tree.dull.length > 0) return false
  if (tree.digest === entry.digest) return true
  return tree.drift?.of === entry.digest && tree.drift.changed.length + tree.drift.missing.length === 0
}

/**
 * True where something would be lost if the bundle were put back: files that were installed read otherwise now. What is
 * gone is no loss, and what a capability made in its folder is no edit.
 */
export const isEdited = ({ entry, tree }: Installed): boolean => {
  if (tree === null || (tree.digest === entry?.digest && tree.odd.length === 0)) return false
  if (tree.drift === null || tree.odd.length > 0) return true
  return tree.drift.changed.some((file) => !tree.dull.includes(file))
}

/** The files that are there and belong to what the ledger records. */
export const recordedFiles = ({ entry, tree }: Installed): readonly BundleFile[] => {
  if (tree === null) return []
  const extra = tree.digest === entry?.digest ? [] : (tree.drift?.extra ?? [])
  return tree.files.filter((file) => !extra.includes(file))
}

/**
 * Refuses to replace or delete a folder that holds what could be kept neither there nor as a copy.
 * @throws STATE_DRIFT
 */
export const refuseOddities = ({ id, scope, tree }: Installed): void => {
  const [first, ...more] = tree?.odd ?? []
  if (first === undefined) return
  const rest = more.length === 0 ? '' : `, and ${more.length} more like it`
  throw new GsdError('STATE_DRIFT', `the folder of ${quote(id)} holds what cannot be kept: ${first}${rest}`, {
    hint: `move it away first, or delete it all with gsd capability remove ${id} --scope ${scope} --purge-data`,
    details: { id, odd: tree?.odd },
  })
}

/**
 * Refuses to let in a bundle that would stay inactive whatever was agreed to.
 * @param as `trusted`, `enabled`
 * @throws OVERLAY_INVALID
 */
export const refuseOddTree = ({ id, tree }: Installed, as: string): void => {
  const [first] = tree?.odd ?? []
  if (first === undefined) return
  throw new GsdError('OVERLAY_INVALID', `${quote(id)} holds what no bundle may hold, and cannot be ${as}: ${first}`, {
    hint: 'take it out of the folder, or install the capability anew',
    details: { id, odd: tree?.odd },
  })
}

const treeOf = (
  context: Context,
  places: ScopePlaces,
  state: ScopeState,
  { id, dir, receipt }: { readonly id: string; readonly dir: string; readonly receipt: StoreFile<Receipt> },
): InstalledTree => {
  const tree = hashTree(dir, context.disk)
  const scripts = tree.manifest === null ? new Set<string>() : declaredHookScripts(tree.manifest)
  const whole = {
    ...tree,
    dull: tree.files.filter(({ path, shebang, executable }) => shebang && !executable && scripts.has(path)),
    digest: bundleDigest(tree.files, tree.manifest),
  }
  return {
    ...whole,
    drift: driftOf(whole, state.ledger.capabilities.get(id)?.digest, memories(places, state, id, receipt)),
  }
}

/** What somebody remembers of what was installed: its digest, and a mark of each file by its path. */
interface Memory {
  readonly of: string
  readonly marks: ReadonlyMap<string, string>
}

/** The user's record of consent before the receipt, since a receipt in a project may come from anybody. */
const memories = (
  places: ScopePlaces,
  { consents }: ScopeState,
  id: string,
  receipt: StoreFile<Receipt>,
): readonly Memory[] => {
  const grant = consents.grants.get(grantKey(places, id))
  return [
    ...(grant === undefined ? [] : [{ of: grant.digest, marks: new Map(Object.entries(grant.files)) }]),
    ...(receipt.state === 'ok' ? [{ of: receipt.value.digest, marks: marksIn(receipt.value) }] : []),
  ]
}

const marksIn = ({ files }: Receipt): Memory['marks'] =>
  new Map([...files].map(([path, file]) => [path, fileMark(file)]))

/**
 * Compared with what the ledger records, where anybody remembers that; else with what is there to the letter, as after a
 * ledger came from elsewhere; else with whatever is remembered.
 */
const driftOf = (
  { files, manifest }: Pick<InstalledTree, 'files' | 'manifest'>,
  recorded: string | undefined,
  known: readonly Memory[],
): Drift | null => {
  const drifts = known.map((memory) => compare(files, memory))
  const isNone = ({ changed, missing }: Drift): boolean => changed.length + missing.length === 0
  const best = drifts.find(({ of }) => of === recorded) ?? drifts.find(isNone) ?? drifts[0]
  return best ?? (manifest === null ? compare(files, { of: '', marks: new Map() }) : null)
}

const compare = (files: readonly BundleFile[], { of, marks }: Memory): Drift => {
  const there = new Set(files.map(({ path }) => path))
  return {
    of,
    changed: files.filter((file) => marks.has(file.path) && marks.get(file.path) !== fileMark(file)),
    missing: [...marks.keys()].filter((path) => !there.has(path)),
    extra: files.filter(({ path }) => !marks.has(path)),
  }
}
