import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { type ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { isSystemFailure } from '../../platform/disk-error.ts'
import { quote } from '../../redact.ts'
import { type ErrorContext, withErrorContext } from '../../resolve/error-context.ts'
import { prepare, type Prepared } from '../../resolve/prepare.ts'
import { pinnedSpec } from '../../resolve/versions.ts'
import {
  compareWithSource,
  hasEdits,
  type InstalledCapability,
  matchesLedger,
  readInstalled,
  refuseUnexpectedFiles,
} from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readScopeState } from '../../state/scope-state.ts'
import type { FetchedBundles } from './fetched-bundles.ts'
import { editedError, type SyncOptions } from './plan-sync.ts'

/**
 * Fetches every bundle that differs from the ledger, each on its own: one that cannot be restored costs only itself.
 * @throws INTERRUPTED, LOCK_*, STATE_* other than drift, and what a full or failing disk throws
 */
export const fetchMissing = async (
  context: Context,
  request: FetchMissingRequest,
  paths: ScopePaths,
  dir: string,
): Promise<FetchedBundles> => {
  const state = readScopeState(context, paths)
  const prepared = new Map<string, Prepared>()
  const failed = new Map<string, GsdError>()
  for (const [id, entry] of state.ledger.capabilities) {
    try {
      const installed = readInstalled(context, paths, state, id)
      if (matchesLedger(installed)) continue
      const found = await fetchOne(context, request, paths, { installed, entry, into: join(dir, id) })
      prepared.set(id, found)
    } catch (error) {
      if (!isAboutOne(error)) throw error
      failed.set(id, error)
    }
  }
  return { prepared, failed }
}

type FetchMissingRequest = SyncOptions & { readonly allowHttp: boolean }

/** A failure that says nothing about the other capabilities. */
const isAboutOne = (error: unknown): error is GsdError => {
  if (!(error instanceof GsdError) || isSystemFailure(error)) return false
  const [family = ''] = error.code.split('_')
  return error.code === 'STATE_DRIFT' || FAMILIES_OF_ONE.has(family)
}

const FAMILIES_OF_ONE: ReadonlySet<string> = new Set([
  'SPEC',
  'FETCH',
  'INTEGRITY',
  'ARCHIVE',
  'MANIFEST',
  'OVERLAY',
  'POLICY',
])

const fetchOne = async (
  context: Context,
  { force, frozen, allowHttp }: FetchMissingRequest,
  paths: ScopePaths,
  {
    installed,
    entry,
    into,
  }: { readonly installed: InstalledCapability; readonly entry: LedgerEntry; readonly into: string },
): Promise<Prepared> => {
  const { id } = installed
  const mayReplace = force && !frozen
  const isUnrecorded = installed.tree?.drift === null
  if (!isUnrecorded && !mayReplace && hasEdits(installed)) throw editedError(installed, frozen)
  refuseUnexpectedFiles(installed)
  const about = { prefix: `${quote(id)} cannot be restored`, details: { id } }
  const prepared = await withDeadLocatorHint({ id, paths, entry }, about, async () =>
    prepare(context, {
      specText: entry.spec,
      pinned: pinnedSpec(entry, { cwd: paths.realRoot, home: context.home }),
      pinnedCommit: entry.resolved.commit ?? null,
      cwd: paths.realRoot,
      paths,
      into,
      integrity: entry.integrity,
      allowHttp,
    }),
  )
  requireDigest({ id, scope: paths.scope }, entry, prepared)
  const compared = compareWithSource(context.disk, installed, prepared.staged.files)
  if (isUnrecorded && !mayReplace && hasEdits(compared)) throw editedError(compared, frozen)
  return prepared
}

/** The source no longer has what the ledger names: an update records what it has now, if it is anywhere. */
const DEAD_LOCATORS: ReadonlySet<string> = new Set([
  'FETCH_NO_REF',
  'FETCH_NO_VERSION',
  'INTEGRITY_MISMATCH',
  'ARCHIVE_NO_BUNDLE',
])

const withDeadLocatorHint = async <T>(
  { id, paths, entry }: { readonly id: string; readonly paths: ScopePaths; readonly entry: LedgerEntry },
  about: ErrorContext,
  work: () => Promise<T>,
): Promise<T> => {
  const update = `the ledger names ${locatorOf(entry)}: gsd capability update ${id} --scope ${paths.scope} records what the source has now`
  const moved = `the ledger names ${quote(entry.spec)}; if it moved: gsd capability install <source> --replace --scope ${paths.scope}`
  return withErrorContext(about, async () => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof GsdError)) throw error
      const hint = DEAD_LOCATORS.has(error.code) ? update : error.code === 'FETCH_NOT_FOUND' ? moved : error.hint
      const { code, message, details } = error
      throw new GsdError(code, message, { ...(hint === undefined ? {} : { hint }), details, cause: error })
    }
  })
}

const locatorOf = ({ spec, resolved, integrity }: LedgerEntry): string =>
  resolved.commit ?? resolved.version ?? integrity ?? quote(spec)

const requireDigest = (
  { id, scope }: { readonly id: string; readonly scope: ScopeName },
  entry: LedgerEntry,
  { digest, manifest }: Prepared,
): void => {
  if (digest === entry.digest && manifest.id === id) return
  throw new GsdError(
    'INTEGRITY_DIGEST_MISMATCH',
    `${quote(entry.spec)} no longer provides the ${quote(id)} recorded in the ledger`,
    {
      hint: `gsd capability update ${id} --scope ${scope} installs what it provides now, after showing you`,
      details: { id, recorded: entry.digest, found: digest },
    },
  )
}
