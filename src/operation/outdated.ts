import { join } from 'node:path'
import gt from 'semver/functions/gt.js'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { prepareUpdate, wasDowngraded } from '../resolve/prepare-update.ts'
import { scopeFetchContext } from '../resolve/scope-fetch-context.ts'
import { allowedRange, checkForUpdates, type SourceVersion } from '../resolve/versions.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { Spec } from '../spec/spec.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import type { LedgerEntry } from '../state/ledger.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { readReadableState } from '../state/scope-state.ts'
import { withStaging } from '../transaction/staging.ts'

/** What `update` would do with one capability. */
export interface OutdatedRow {
  readonly id: string
  readonly scope: ScopeName
  readonly current: string
  /** Version the source has now; null if unknown. */
  readonly latest: string | null
  readonly status: OutdatedStatus
  /** Why the status is unknown, or what differs; null if the status says it all. */
  readonly reason: string | null
  readonly source: string
}

export type OutdatedStatus = 'current' | 'outdated' | 'pinned' | 'moved' | 'manual' | 'unknown'

export interface OutdatedAnswer {
  readonly capabilities: readonly OutdatedRow[]
  /** A state file that cannot be read; what the others name is checked all the same. Null if all could. */
  readonly unreadable: GsdError | null
  readonly warnings: readonly Diagnostic[]
}

/** Sources checked in parallel. */
const MAX_CONCURRENT = 6

/**
 * Checks every source, several at a time, and fetches what cannot be compared by name. One that fails is `unknown` with its
 * reason; the others continue (contract, `capability outdated`). Writes only the cache.
 * @throws INTERRUPTED
 */
export const outdated = async (
  context: Context,
  { scope, allowHttp }: { readonly scope: ScopeName | null; readonly allowHttp: boolean },
): Promise<OutdatedAnswer> => {
  const scopes = scope === null ? scopesOf(context) : [scopePathsOf(context, scope)]
  const read = scopes.map((paths) => ({ paths, ...readReadableState(context, paths) }))
  const wanted = read.flatMap(({ paths, state }) =>
    [...(state?.ledger.capabilities ?? [])].map(([id, entry]) => ({
      id,
      entry,
      paths,
      allowHttp,
    })),
  )
  const rows: OutdatedRow[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < wanted.length; at = next++) {
      const installed = wanted[at]
      if (installed !== undefined) rows[at] = await checkOne(context, installed)
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, wanted.length) }, worker))
  return {
    capabilities: rows,
    unreadable: read.find(({ error }) => error !== null)?.error ?? null,
    warnings: rows.filter(({ status }) => status === 'unknown').map(unknownWarning),
  }
}

interface InstalledSource {
  readonly id: string
  readonly entry: LedgerEntry
  readonly paths: ScopePaths
  readonly allowHttp: boolean
}

const checkOne = async (context: Context, installed: InstalledSource): Promise<OutdatedRow> => {
  const { id, entry, paths } = installed
  const row = { id, scope: paths.scope, current: entry.version, latest: null, reason: null, source: entry.spec }
  try {
    return { ...row, ...(await statusOf(context, installed)) }
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    return { ...row, status: 'unknown', reason: error.message }
  }
}

type Status = Pick<OutdatedRow, 'status'> & Partial<OutdatedRow>

const statusOf = async (context: Context, installed: InstalledSource): Promise<Status> => {
  const { id, entry, paths, allowHttp } = installed
  const spec = parseSpec(entry.spec, { cwd: paths.realRoot, home: context.home, allowHttp })
  if (wasDowngraded(spec, entry.resolved)) return compareContent(context, installed, null, 'pinned')
  const current = await checkForUpdates(spec, entry.resolved, scopeFetchContext(context, paths, { allowHttp }))
  switch (current.kind) {
    case 'manual':
      return { status: 'manual', reason: `gsd capability update ${id} --scope ${paths.scope} fetches it and compares` }
    case 'pinned':
      return { status: 'pinned' }
    case 'here':
      return compareContent(context, installed, null, 'current')
    case 'seen':
      return compareVersion(context, installed, current, spec)
  }
}

const compareVersion = async (
  context: Context,
  installed: InstalledSource,
  offered: SourceVersion,
  spec: Spec,
): Promise<Status> => {
  const { version, commit, tag } = offered
  const { version: current, resolved } = installed.entry
  if (commit !== null && commit === resolved.commit) return { status: 'current', latest: current }
  const moved = tag !== null && tag === resolved.tag
  if (version !== null && version === (resolved.version ?? current) && !moved)
    return { status: 'current', latest: version }
  const isPin = moved && allowedRange(spec) === undefined
  try {
    return await compareContent(context, installed, offered, isPin ? 'pinned' : 'current')
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    return { ...(moved ? movedTagStatus(tag) : { status: 'outdated' }), latest: version, reason: error.message }
  }
}

/**
 * Fetches as an update would and compares content: another commit may have the same content, and the newest version may not
 * fit this host.
 */
const compareContent = (
  context: Context,
  installed: InstalledSource,
  current: SourceVersion | null,
  same: 'current' | 'pinned',
): Promise<Status> =>
  withStaging(context, async ({ dir }) => {
    const { entry } = installed
    const { digest, manifest, downgradedFrom } = await prepareUpdate(context, { ...installed, into: join(dir, '0') })
    const moved = current !== null && current.tag !== null && current.tag === entry.resolved.tag
    const latest = downgradedFrom === undefined ? (current?.version ?? manifest.version) : manifest.version
    if (digest !== entry.digest) {
      if (moved) return { ...movedTagStatus(current.tag), latest }
      return { status: 'outdated', latest, reason: differenceReason(latest, entry, current?.commit ?? null) }
    }
    const reason = downgradedFrom === undefined ? null : `${downgradedFrom} exists, but needs another GSD version`
    return { status: same, ...(same === 'pinned' ? {} : { latest }), reason }
  })

const movedTagStatus = (tag: string | null): Pick<OutdatedRow, 'status' | 'reason'> => ({
  status: 'moved',
  reason: `the tag ${quote(tag)} was moved to another commit since the install`,
})

const differenceReason = (latest: string, { version, resolved }: LedgerEntry, commit: string | null): string | null => {
  const installed = resolved.version ?? version
  if (latest === installed) return commit === null ? 'its content differs' : `newer commit: ${commit}`
  return gt(latest, installed) ? null : `the source now has ${quote(latest)}, which is older`
}

const unknownWarning = ({ id, scope, reason }: OutdatedRow): Diagnostic =>
  diagnostic('warning', 'FETCH_UNKNOWN', `cannot check whether ${quote(id)} is up to date: ${reason ?? ''}`, {
    id,
    scope,
  })
