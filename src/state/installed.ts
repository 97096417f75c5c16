import { join } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { bundleDigest } from '../bundle/digest.ts'
import { hashTree } from '../bundle/hash-tree.ts'
import { declaredHookScripts } from '../bundle/manifest-bytes.ts'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { type Disk, pathExists } from '../platform/disk.ts'
import { resolveRealFile } from '../platform/real-path.ts'
import { quote } from '../redact.ts'
import { type Drift, findDrift, type KnownContent } from './drift.ts'
import { fileFingerprint, scopeConsentKey } from './grants.ts'
import type { LedgerEntry } from './ledger.ts'
import { readReceipt, type Receipt, receiptTarget } from './receipts.ts'
import type { ScopePaths } from './scope-paths.ts'
import type { ScopeState } from './scope-state.ts'
import type { StateFile } from './state-file.ts'

/** The installed files of a capability. */
export interface InstalledCapability {
  readonly id: string
  readonly scope: ScopeName
  readonly entry: LedgerEntry | null
  /** Absolute path of the bundle's folder, which may not exist. */
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
  /** Hook scripts that no host can run because they are not executable. The digest does not show this. */
  readonly notExecutable: readonly BundleFile[]
  readonly digest: string
  /** Null where no record says which files were installed. */
  readonly drift: Drift | null
}

/** Hashes the installed bundle and compares it with the record of its files. @throws STATE_* */
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

/** Whether the installed files match the ledger. Files that the capability created do not matter. */
export const matchesLedger = ({ entry, tree }: InstalledCapability): boolean => {
  if (tree === null || entry === null || tree.unexpected.length + tree.notExecutable.length > 0) return false
  if (tree.digest === entry.digest) return true
  return tree.drift?.baseDigest === entry.digest && tree.drift.changed.length + tree.drift.missing.length === 0
}

/** Whether restoring the bundle would lose edits: an installed file has other content now. Missing and extra files are no edits. */
export const hasEdits = ({ entry, tree }: InstalledCapability): boolean => {
  if (tree === null || (tree.digest === entry?.digest && tree.unexpected.length === 0)) return false
  if (tree.drift === null || tree.unexpected.length > 0) return true
  const { changed, lineEndings } = tree.drift
  return changed.some((file) => !tree.notExecutable.includes(file) && !lineEndings.includes(file))
}

/**
 * The same with the differences from its source, where no record says which files were installed: in a clone a bundle comes
 * from version control, and the receipt does not.
 */
export const compareWithSource = (
  disk: Disk,
  installed: InstalledCapability,
  source: readonly BundleFile[],
): InstalledCapability => {
  const { tree, entry, dir } = installed
  if (tree === null || tree.drift !== null) return installed
  const fingerprints = new Map(source.map((file) => [file.path, fileFingerprint(file)]))
  const known = [{ digest: entry?.digest ?? '', fingerprints }]
  return {
    ...installed,
    tree: { ...tree, drift: findDrift(disk, { ...tree, dir }, { recorded: entry?.digest, known }) },
  }
}

/** The existing files that belong to what the ledger records. */
export const recordedFiles = ({ entry, tree }: InstalledCapability): readonly BundleFile[] => {
  if (tree === null) return []
  const extra = tree.digest === entry?.digest ? [] : (tree.drift?.extra ?? [])
  return tree.files.filter((file) => !extra.includes(file))
}

/**
 * What consent to an installed bundle covers. In the user's own scope files that the capability created do not count; in a
 * project every file does, since anybody may have put it there.
 */
export const consentContent = (
  { trusted }: Pick<ScopePaths, 'trusted'>,
  installed: InstalledCapability,
): { readonly files: readonly BundleFile[]; readonly digest: string } => {
  const { tree, entry } = installed
  if (tree === null) return { files: [], digest: '' }
  return trusted && entry !== null && matchesLedger(installed)
    ? { files: recordedFiles(installed), digest: entry.digest }
    : tree
}

/**
 * Refuses to replace or delete a folder with links, devices or the like, which cannot be preserved.
 * @throws STATE_DRIFT
 */
export const refuseUnexpectedFiles = ({ id, scope, tree }: InstalledCapability): void => {
  const [first, ...more] = tree?.unexpected ?? []
  if (first === undefined) return
  const rest = more.length === 0 ? '' : `, and ${more.length} more like it`
  throw new GsdError(
    'STATE_DRIFT',
    `the folder of ${quote(id)} contains something that cannot be preserved: ${first}${rest}`,
    {
      hint: `move it away, or delete everything with gsd capability remove ${id} --scope ${scope} --purge-data`,
      details: { id, odd: tree?.unexpected },
    },
  )
}

/**
 * Refuses a bundle that stays inactive even with consent, because it contains links, devices or the like.
 * @param as `trusted`, `enabled`
 * @throws OVERLAY_INVALID
 */
export const refuseUnexpectedContent = ({ id, tree }: InstalledCapability, as: string): void => {
  const [first] = tree?.unexpected ?? []
  if (first === undefined) return
  throw new GsdError(
    'OVERLAY_INVALID',
    `${quote(id)} cannot be ${as}, because of something that no bundle may contain: ${first}`,
    {
      hint: 'remove it from the folder, or install the capability again',
      details: { id, odd: tree?.unexpected },
    },
  )
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
    drift: findDrift(
      context.disk,
      { ...whole, dir },
      {
        recorded: state.ledger.capabilities.get(id)?.digest,
        known: knownContents(paths, state, id, receipt),
      },
    ),
  }
}

/** The consent record first: a receipt in a project may come from somebody else. */
const knownContents = (
  paths: ScopePaths,
  { grants }: ScopeState,
  id: string,
  receipt: StateFile<Receipt>,
): readonly KnownContent[] => {
  const grant = grants.byKey.get(scopeConsentKey(paths, id))
  return [
    ...(grant === undefined ? [] : [{ digest: grant.digest, fingerprints: new Map(Object.entries(grant.files)) }]),
    ...(receipt.state === 'ok' ? [{ digest: receipt.value.digest, fingerprints: fingerprintsOf(receipt.value) }] : []),
  ]
}

const fingerprintsOf = ({ files }: Receipt): KnownContent['fingerprints'] =>
  new Map([...files].map(([path, file]) => [path, fileFingerprint(file)]))

/** The real path of a bundle's folder. In a home a folder above it may be a link, but never the folder itself. */
export const bundleDir = ({ disk }: Context, { capabilities }: ScopePaths, id: string): string =>
  join(resolveRealFile(disk, capabilities).file, id)
