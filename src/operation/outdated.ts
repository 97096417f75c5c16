import { join } from 'node:path'
import gt from 'semver/functions/gt.js'
import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { peek } from '../fetch/peek.ts'
import { quote } from '../redact.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { LedgerEntry } from '../store/ledger-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import { fetchingFor } from './prepare/fetching-for.ts'
import { prepare } from './prepare/prepare.ts'
import { withStaging } from './transaction/staging.ts'
import { wentBack } from './went-back.ts'

/** What `update` would do with one capability, as far as that can be seen without fetching it. */
export interface OutdatedRow {
  readonly id: string
  readonly scope: ScopeName
  readonly current: string
  /** Version there is now; null where nothing tells. */
  readonly latest: string | null
  readonly status: OutdatedStatus
  /** Why nothing is known, or in what it differs; null where the status says it all. */
  readonly reason: string | null
  readonly source: string
}

export type OutdatedStatus = 'current' | 'outdated' | 'pinned' | 'moved' | 'manual' | 'unknown'

export interface OutdatedAnswer {
  readonly capabilities: readonly OutdatedRow[]
  readonly warnings: readonly Diagnostic[]
}

/** How many sources are asked at the same time. */
const AT_ONCE = 6

/**
 * Asks every source what it has now, several at a time. One that fails is `unknown` with its reason, and the others go on
 * (contract, `capability outdated`). Writes nothing but the cache.
 * @throws STATE_*, INTERRUPTED
 */
export const outdated = async (
  context: Context,
  { scope, allowHttp }: { readonly scope: ScopeName | null; readonly allowHttp: boolean },
): Promise<OutdatedAnswer> => {
  const scopes = scope === null ? scopesOf(context) : [placesOf(context, scope)]
  const wanted = scopes.flatMap((places) =>
    [...readScopeState(context, places).ledger.capabilities].map(([id, entry]) => ({ id, entry, places, allowHttp })),
  )
  const rows: OutdatedRow[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < wanted.length; at = next++) {
      const asked = wanted[at]
      if (asked !== undefined) rows[at] = await look(context, asked)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, wanted.length) }, worker))
  return { capabilities: rows, warnings: rows.filter(({ status }) => status === 'unknown').map(unknown) }
}

interface Asked {
  readonly id: string
  readonly entry: LedgerEntry
  readonly places: ScopePlaces
  readonly allowHttp: boolean
}

const look = async (context: Context, asked: Asked): Promise<OutdatedRow> => {
  const { id, entry, places } = asked
  const row = { id, scope: places.scope, current: entry.version, latest: null, reason: null, source: entry.spec }
  try {
    return { ...row, ...(await statusOf(context, asked)) }
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    return { ...row, status: 'unknown', reason: error.message }
  }
}

type Status = Pick<OutdatedRow, 'status'> & Partial<OutdatedRow>

const statusOf = async (context: Context, { id, entry, places, allowHttp }: Asked): Promise<Status> => {
  const spec = parseSpec(entry.spec, { cwd: places.realRoot, home: context.home, allowHttp })
  if (wentBack(spec, entry.resolved))
    return { status: 'pinned', reason: 'an older version was taken that fits this GSD' }
  const peeked = await peek(spec, entry.resolved, fetchingFor(context, places, { allowHttp }))
  if (peeked.kind === 'manual')
    return { status: 'manual', reason: `gsd capability update ${id} fetches it and compares` }
  if (peeked.kind === 'pinned') return { status: 'pinned' }
  if (peeked.kind === 'here') return comparedHere(context, { id, entry, places, allowHttp })
  const { version, commit, tag } = peeked
  if (tag !== null && tag === entry.resolved.tag && commit !== entry.resolved.commit) {
    return {
      status: 'moved',
      latest: version,
      reason: `the tag ${quote(tag)} names another commit than when it was installed`,
    }
  }
  if (commit !== null && commit === entry.resolved.commit) return { status: 'current', latest: entry.version }
  if (version === null) return { status: 'outdated', reason: `there is a newer commit: ${commit ?? ''}` }
  const installed = entry.resolved.version ?? entry.version
  if (version === installed) return { status: 'current', latest: version }
  const reason = gt(version, installed) ? null : `the source gives ${quote(version)} now, which is older`
  return { status: 'outdated', latest: version, reason }
}

/** A folder or archive of this machine is read, and its digest compared. */
const comparedHere = (context: Context, { entry, places, allowHttp }: Asked): Promise<Status> =>
  withStaging(context, async ({ dir }) => {
    const request = { text: entry.spec, cwd: places.realRoot, places, into: join(dir, '0'), integrity: null, allowHttp }
    const { digest, manifest } = await prepare(context, request)
    return { status: digest === entry.digest ? 'current' : 'outdated', latest: manifest.version }
  })

const unknown = ({ id, scope, reason }: OutdatedRow): Diagnostic =>
  diagnostic('warning', 'FETCH_UNKNOWN', `whether ${quote(id)} is up to date cannot be told: ${reason ?? ''}`, {
    id,
    scope,
  })
