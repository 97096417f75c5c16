import { join } from 'node:path'
import { abbreviateFindings } from '../abbreviate.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { locatorWords } from '../resolve/locator-words.ts'
import { hasOtherLocator, isWayBack, prepareUpdate, wasDowngraded } from '../resolve/prepare-update.ts'
import type { Prepared } from '../resolve/prepare.ts'
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
  /** The version in the installed manifest, and where its source had it. */
  readonly current: { readonly version: string; readonly ref?: string; readonly commit?: string }
  /** Version that an update would install; null if unknown. */
  readonly wanted: string | null
  /** Newest stable version of the source, whatever the spec allows; null if unknown, or if the source lists none. */
  readonly latest: string | null
  readonly status: OutdatedStatus
  /** Why it is unreachable, or what differs; left out if the status says it all. */
  readonly reason?: string
  readonly source: string
}

/** `moved`: the same name now leads to something else, or the same content has another address. */
export type OutdatedStatus = 'current' | 'outdated' | 'pinned' | 'moved' | 'unreachable'

export interface OutdatedAnswer {
  readonly rows: readonly OutdatedRow[]
  /** A state file that cannot be read, or that no source could be asked; null otherwise. The rows are right all the same. */
  readonly error: GsdError | null
  readonly warnings: readonly Diagnostic[]
}

/** Sources checked in parallel. */
const MAX_CONCURRENT = 6

/**
 * Checks every source, several at a time, and fetches what cannot be compared by name. One that fails is `unreachable` with its
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
  const unreachable = rows.filter(({ status }) => status === 'unreachable')
  const unreadable = read.find(({ error }) => error !== null)?.error ?? null
  return {
    rows,
    error: unreadable ?? (rows.length > 0 && unreachable.length === rows.length ? nothingAskedError(rows) : null),
    warnings: abbreviateFindings(unreachable.map(unreachableWarning)),
  }
}

const nothingAskedError = (rows: readonly OutdatedRow[]): GsdError =>
  new GsdError(
    'FETCH_UNKNOWN',
    `none of ${rows.length === 1 ? 'the one source' : `the ${rows.length} sources`} could be asked`,
    {
      hint: 'each warning says why; run it again once the sources can be reached',
    },
  )

interface InstalledSource {
  readonly id: string
  readonly entry: LedgerEntry
  readonly paths: ScopePaths
  readonly allowHttp: boolean
}

const checkOne = async (context: Context, installed: InstalledSource): Promise<OutdatedRow> => {
  const { id, entry, paths } = installed
  const { tag, commit } = entry.resolved
  const current = {
    version: entry.version,
    ...(tag === undefined ? {} : { ref: tag }),
    ...(commit === undefined ? {} : { commit }),
  }
  const row = { id, scope: paths.scope, current, wanted: null, latest: null, source: entry.spec }
  try {
    const { reason, ...status } = await statusOf(context, installed)
    return { ...row, ...status, ...(reason === undefined || reason === null ? {} : { reason }) }
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    return { ...row, status: 'unreachable', reason: error.message }
  }
}

interface Status {
  readonly status: OutdatedStatus
  readonly wanted: string | null
  readonly latest?: string | null
  readonly reason?: string | null
}

const statusOf = async (context: Context, installed: InstalledSource): Promise<Status> => {
  const { entry, paths, allowHttp } = installed
  const spec = parseSpec(entry.spec, { cwd: paths.realRoot, home: context.home, allowHttp })
  if (wasDowngraded(spec, entry.resolved)) return compareContent(context, installed, 'pinned')
  const found = await checkForUpdates(spec, entry.resolved, scopeFetchContext(context, paths, { allowHttp }))
  switch (found.kind) {
    case 'pinned':
      return { status: 'pinned', wanted: entry.version }
    case 'fetch':
      return { latest: found.newest, ...(await compareContent(context, installed, 'current')) }
    case 'listed':
      return { latest: found.newest, ...(await compareListed(context, installed, found, spec)) }
  }
}

/** Tags are compared with the recorded tag, commits with the commit, and versions of a registry with the recorded version. */
const compareListed = async (
  context: Context,
  installed: InstalledSource,
  { version, commit, tag }: SourceVersion,
  spec: Spec,
): Promise<Status> => {
  const { version: wanted, resolved } = installed.entry
  const isSame = commit === null ? version === resolved.version : commit === resolved.commit && isSameTag(tag, resolved)
  if (isSame) return { status: 'current', wanted }
  const isPin = tag !== null && allowedRange(spec) === undefined
  try {
    return await compareContent(context, installed, isPin ? 'pinned' : 'current')
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    const status = tag !== null && isSameTag(tag, resolved) ? 'moved' : 'outdated'
    return { status, wanted: version, reason: error.message }
  }
}

const isSameTag = (tag: string | null, recorded: LedgerEntry['resolved']): boolean => tag === (recorded.tag ?? null)

/**
 * Fetches as an update would and compares content: another commit may have the same content, and the newest version may not
 * fit this host.
 */
const compareContent = (context: Context, installed: InstalledSource, same: 'current' | 'pinned'): Promise<Status> =>
  withStaging(context, async ({ dir }) => {
    const { entry } = installed
    const prepared = await prepareUpdate(context, { ...installed, into: join(dir, '0') })
    const { digest, manifest, downgradedFrom } = prepared
    const wanted = manifest.version
    if (digest !== entry.digest) return { wanted, ...differenceOf(entry, prepared) }
    if (hasOtherLocator(entry, prepared))
      return {
        wanted,
        status: 'moved',
        reason: `the same content ${locatorWords(entry, prepared)}; update records that`,
      }
    const reason = downgradedFrom === undefined ? null : `${downgradedFrom} exists, but needs another GSD version`
    return { status: same, wanted, reason }
  })

/** Content differs: what an update would do, or what it would refuse to do unasked. */
const differenceOf = (entry: LedgerEntry, prepared: Prepared): Pick<Status, 'status' | 'reason'> => {
  const { tag, commit } = entry.resolved
  const { resolved, manifest } = prepared
  if (tag !== undefined && tag === resolved.tag && commit !== resolved.commit)
    return { status: 'moved', reason: `the tag ${quote(tag)} was moved to another commit since the install` }
  if (isWayBack(entry, prepared))
    return {
      status: 'moved',
      reason: `the source now has ${manifest.version}, which is older; update --downgrade takes it`,
    }
  if (manifest.version !== entry.version) return { status: 'outdated' }
  const reason = resolved.commit === undefined ? 'its content differs' : `newer commit: ${resolved.commit}`
  return { status: 'outdated', reason }
}

const unreachableWarning = ({ id, scope, reason = '' }: OutdatedRow): Diagnostic =>
  diagnostic('warning', 'FETCH_UNKNOWN', `cannot check whether ${quote(id)} is up to date: ${reason}`, { id, scope })
