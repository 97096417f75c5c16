import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { type ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { withErrorContext } from '../../resolve/error-context.ts'
import { prepare, type Prepared } from '../../resolve/prepare.ts'
import { pinnedSpec } from '../../resolve/versions.ts'
import { hasEdits, matchesLedger, readInstalled } from '../../state/installed.ts'
import type { LedgerEntry } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readScopeState } from '../../state/scope-state.ts'
import { editedError, type SyncOptions } from './plan-sync.ts'

/** Fetches every bundle that differs from the ledger. Edited ones only with `--force`. */
export const fetchMissing = async (
  context: Context,
  { force, frozen, allowHttp }: SyncOptions & { readonly allowHttp: boolean },
  paths: ScopePaths,
  dir: string,
): Promise<ReadonlyMap<string, Prepared>> => {
  const state = readScopeState(context, paths)
  const fetched = new Map<string, Prepared>()
  for (const [id, entry] of state.ledger.capabilities) {
    const installed = readInstalled(context, paths, state, id)
    if (matchesLedger(installed)) continue
    if (hasEdits(installed) && (!force || frozen)) throw editedError(id, frozen)
    const about = { prefix: `${quote(id)} cannot be restored`, details: { id } }
    const prepared = await withErrorContext(about, async () =>
      prepare(context, {
        specText: entry.spec,
        pinned: pinnedSpec(entry, { cwd: paths.realRoot, home: context.home }),
        pinnedCommit: entry.resolved.commit ?? null,
        cwd: paths.realRoot,
        paths,
        into: join(dir, id),
        integrity: entry.integrity,
        allowHttp,
      }),
    )
    requireDigest({ id, scope: paths.scope }, entry, prepared)
    fetched.set(id, prepared)
  }
  return fetched
}

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
