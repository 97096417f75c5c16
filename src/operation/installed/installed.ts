import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import { bundleDigest } from '../../bundle/digest.ts'
import { hashTree } from '../../bundle/hash-tree.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { consentKey, consentSubject, fileMark } from '../../store/consent.ts'
import { isThere } from '../../store/is-there.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { readReceipt, receiptTarget } from '../../store/receipts.ts'
import { bundleDir } from './bundle-dir.ts'
import type { ScopeState } from './scope-state.ts'

/** What stands in the place of a capability, looked at file by file. */
export interface Installed {
  readonly id: string
  readonly entry: LedgerEntry | null
  /** Absolute path of the bundle's folder, whether or not it is there. */
  readonly dir: string
  readonly tree: InstalledTree | null
  readonly hasReceipt: boolean
}

export interface InstalledTree {
  readonly files: readonly BundleFile[]
  readonly manifest: Uint8Array | null
  /** Links, devices and the like, as sentences. */
  readonly odd: readonly string[]
  readonly digest: string
  /** Null where nobody remembers which files were installed. Without a manifest none of them were. */
  readonly drift: Drift | null
}

/** How the files differ from those that were installed. */
export interface Drift {
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
  return {
    id,
    dir,
    entry: state.ledger.capabilities.get(id) ?? null,
    tree: isThere(disk, dir) ? treeOf(context, places, state, { id, dir }) : null,
    hasReceipt: isThere(disk, join(places.gsd, receiptTarget(id))),
  }
}

/**
 * True where something would be lost if the bundle were put back: files that were installed read otherwise now. What is
 * gone is no loss, and what a capability made in its folder is no edit.
 */
export const isEdited = ({ entry, tree }: Installed): boolean => {
  if (tree === null || (tree.digest === entry?.digest && tree.odd.length === 0)) return false
  return tree.drift === null || tree.drift.changed.length + tree.odd.length > 0
}

/**
 * Refuses to replace or delete a folder that holds what could be kept neither there nor as a copy.
 * @throws STATE_DRIFT
 */
export const refuseOddities = ({ id, tree }: Installed): void => {
  const [first, ...more] = tree?.odd ?? []
  if (first === undefined) return
  const rest = more.length === 0 ? '' : `, and ${more.length} more like it`
  throw new GsdError('STATE_DRIFT', `the folder of ${quote(id)} holds what cannot be kept: ${first}${rest}`, {
    hint: `move it away first, or delete it all with gsd capability remove ${id} --purge-data`,
    details: { id, odd: tree?.odd },
  })
}

const treeOf = (
  context: Context,
  places: ScopePlaces,
  state: ScopeState,
  { id, dir }: { readonly id: string; readonly dir: string },
): InstalledTree => {
  const tree = hashTree(dir, context.disk)
  const digest = bundleDigest(tree.files, tree.manifest)
  const marks = marksOf(context, places, state, id) ?? (tree.manifest === null ? new Map<string, string>() : null)
  return { ...tree, digest, drift: marks === null ? null : driftOf(tree.files, marks) }
}

/**
 * Path → mark of the files that were installed: as the user's record of consent has them, since a receipt in a project may
 * come from anybody; without that, as the receipt has them.
 */
const marksOf = (
  { disk }: Context,
  places: ScopePlaces,
  { consents, ledger }: ScopeState,
  id: string,
): ReadonlyMap<string, string> | null => {
  const subject = consentSubject(places)
  const grant = consents.grants.get(consentKey(subject.scope, subject.project, id))
  const entry = ledger.capabilities.get(id)
  if (grant !== undefined && (entry === undefined || entry.digest === grant.digest))
    return new Map(Object.entries(grant.files))
  const receipt = readReceipt(disk, places, id)
  if (receipt.state !== 'ok' || (entry !== undefined && receipt.value.digest !== entry.digest)) return null
  return new Map([...receipt.value.files].map(([path, file]) => [path, fileMark(file)]))
}

const driftOf = (files: readonly BundleFile[], marks: ReadonlyMap<string, string>): Drift => {
  const there = new Set(files.map(({ path }) => path))
  return {
    changed: files.filter((file) => marks.has(file.path) && marks.get(file.path) !== fileMark(file)),
    missing: [...marks.keys()].filter((path) => !there.has(path)),
    extra: files.filter(({ path }) => !marks.has(path)),
  }
}
