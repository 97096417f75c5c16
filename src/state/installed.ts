import { join } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import { declaredHookScripts } from '../bundle/manifest-bytes.ts'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { pathExists } from '../platform/path-exists.ts'
import { resolveRealFile } from '../platform/real-file.ts'
import { quote } from '../redact.ts'
import { fileFingerprint, scopeConsentKey } from './consent-store.ts'
import type { LedgerEntry } from './ledger.ts'
import { readReceipt, type Receipt, receiptTarget } from './receipts.ts'
import type { ScopePaths } from './scope-paths.ts'
import type { ScopeState } from './scope-state.ts'
import type { StateFile } from './state-file.ts'

/** What stands in the place of a capability, looked at file by file. */
export interface InstalledCapability {
  readonly id: string
  readonly scope: ScopeName
  readonly entry: LedgerEntry | null
  /** Absolute path of the bundle's folder, whether or not it is there. */
  readonly dir: string
  readonly tree: InstalledTree | null
  readonly hasReceipt: boolean
  readonly receipt: StateFile<Receipt>
}

export interface InstalledTree {
  readonly files: readonly BundleFile[]
  readonly manifest: Uint8Array | null
  /** Links, devices and the like, as sentences. */
  readonly unexpected: readonly string[]
  /** Hook scripts that no host can run any more, because they are not executable. The digest is the same all the same. */
  readonly notExecutable: readonly BundleFile[]
  readonly digest: string
  /** Null where nobody remembers which files were installed. Without a manifest none of them were. */
  readonly drift: Drift | null
}

/** How the files differ from those that were installed. */
export interface Drift {
  /** Digest of what was installed; the ledger may have been changed since, by git for instance. */
  readonly baseDigest: string
  /** Files that were installed and read otherwise now. */
  readonly changed: readonly BundleFile[]
  /** Paths that were installed and are gone. */
  readonly missing: readonly string[]
  /** Files that were not installed: made by the capability, or put there by hand. */
  readonly extra: readonly BundleFile[]
}

/** Hashes the installed bundle and compares it with what was installed. @throws STATE_* where the folder cannot be listed */
export const readInstalled = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  id: string,
): InstalledCapability => {
  const dir = bundleDir(context, paths, id)
  const { disk } = context
  const receipt = readReceipt(disk, paths, id)
  return {
    id,
    scope: paths.scope,
    dir,
    entry: state.ledger.capabilities.get(id) ?? null,
    tree: pathExists(disk, dir) ? readTree(context, paths, state, { id, dir, receipt }) : null,
    hasReceipt: pathExists(disk, join(paths.gsd, receiptTarget(id))),
    receipt,
  }
}

/** True where the very files are there that the ledger records. What a capability made in its folder does not count. */
export const matchesLedger = ({ entry, tree }: InstalledCapability): boolean => {
  if (tree === null || entry === null || tree.unexpected.length + tree.notExecutable.length > 0) return false
  if (tree.digest === entry.digest) return true
  return tree.drift?.baseDigest === entry.digest && tree.drift.changed.length + tree.drift.missing.length === 0
}

/**
 * True where something would be lost if the bundle were put back: files that were installed read otherwise now. What is
 * gone is no loss, and what a capability made in its folder is no edit.
 */
export const hasEdits = ({ entry, tree }: InstalledCapability): boolean => {
  if (tree === null || (tree.digest === entry?.digest && tree.unexpected.length === 0)) return false
  if (tree.drift === null || tree.unexpected.length > 0) return true
  return tree.drift.changed.some((file) => !tree.notExecutable.includes(file))
}

/** The files that are there and belong to what the ledger records. */
export const recordedFiles = ({ entry, tree }: InstalledCapability): readonly BundleFile[] => {
  if (tree === null) return []
  const extra = tree.digest === entry?.digest ? [] : (tree.drift?.extra ?? [])
  return tree.files.filter((file) => !extra.includes(file))
}

/**
 * Refuses to replace or delete a folder that holds what could be kept neither there nor as a copy.
 * @throws STATE_DRIFT
 */
export const refuseUnexpectedFiles = ({ id, scope, tree }: InstalledCapability): void => {
  const [first, ...more] = tree?.unexpected ?? []
  if (first === undefined) return
  const rest = more.length === 0 ? '' : `, and ${more.length} more like it`
  throw new GsdError('STATE_DRIFT', `the folder of ${quote(id)} holds what cannot be kept: ${first}${rest}`, {
    hint: `move it away first, or delete it all with gsd capability remove ${id} --scope ${scope} --purge-data`,
    details: { id, odd: tree?.unexpected },
  })
}

/**
 * Refuses to let in a bundle that would stay inactive whatever was agreed to.
 * @param as `trusted`, `enabled`
 * @throws OVERLAY_INVALID
 */
export const refuseUnexpectedContent = ({ id, tree }: InstalledCapability, as: string): void => {
  const [first] = tree?.unexpected ?? []
  if (first === undefined) return
  throw new GsdError('OVERLAY_INVALID', `${quote(id)} holds what no bundle may hold, and cannot be ${as}: ${first}`, {
    hint: 'take it out of the folder, or install the capability anew',
    details: { id, odd: tree?.unexpected },
  })
}

const readTree = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  { id, dir, receipt }: { readonly id: string; readonly dir: string; readonly receipt: StateFile<Receipt> },
): InstalledTree => {
  const tree = hashTree(dir, context.disk)
  const scripts = tree.manifest === null ? new Set<string>() : declaredHookScripts(tree.manifest)
  const whole = {
    ...tree,
    notExecutable: tree.files.filter(({ path, shebang, executable }) => shebang && !executable && scripts.has(path)),
    digest: bundleDigest(tree.files, tree.manifest),
  }
  return {
    ...whole,
    drift: driftOf(whole, state.ledger.capabilities.get(id)?.digest, knownContents(paths, state, id, receipt)),
  }
}

/** What somebody remembers of what was installed: its digest, and a mark of each file by its path. */
interface KnownContent {
  readonly digest: string
  readonly fingerprints: ReadonlyMap<string, string>
}

/** The user's record of consent before the receipt, since a receipt in a project may come from anybody. */
const knownContents = (
  paths: ScopePaths,
  { consentStore }: ScopeState,
  id: string,
  receipt: StateFile<Receipt>,
): readonly KnownContent[] => {
  const grant = consentStore.grants.get(scopeConsentKey(paths, id))
  return [
    ...(grant === undefined ? [] : [{ digest: grant.digest, fingerprints: new Map(Object.entries(grant.files)) }]),
    ...(receipt.state === 'ok' ? [{ digest: receipt.value.digest, fingerprints: fingerprintsOf(receipt.value) }] : []),
  ]
}

const fingerprintsOf = ({ files }: Receipt): KnownContent['fingerprints'] =>
  new Map([...files].map(([path, file]) => [path, fileFingerprint(file)]))

/**
 * Compared with what the ledger records, where anybody remembers that; else with what is there to the letter, as after a
 * ledger came from elsewhere; else with whatever is remembered.
 */
const driftOf = (
  { files, manifest }: Pick<InstalledTree, 'files' | 'manifest'>,
  recorded: string | undefined,
  known: readonly KnownContent[],
): Drift | null => {
  const drifts = known.map((memory) => compareFiles(files, memory))
  const isNone = ({ changed, missing }: Drift): boolean => changed.length + missing.length === 0
  const best = drifts.find(({ baseDigest }) => baseDigest === recorded) ?? drifts.find(isNone) ?? drifts[0]
  return best ?? (manifest === null ? compareFiles(files, { digest: '', fingerprints: new Map() }) : null)
}

const compareFiles = (files: readonly BundleFile[], { digest, fingerprints }: KnownContent): Drift => {
  const there = new Set(files.map(({ path }) => path))
  return {
    baseDigest: digest,
    changed: files.filter(
      (file) => fingerprints.has(file.path) && fingerprints.get(file.path) !== fileFingerprint(file),
    ),
    missing: [...fingerprints.keys()].filter((path) => !there.has(path)),
    extra: files.filter(({ path }) => !fingerprints.has(path)),
  }
}

/** Where the bundle will be, by its real path. In a home a folder above may be a link; the bundle's own never is one. */
export const bundleDir = ({ disk }: Context, { capabilities }: ScopePaths, id: string): string =>
  join(resolveRealFile(disk, capabilities).file, id)
