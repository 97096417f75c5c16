import { abbreviateFindings } from '../abbreviate.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import type { GsdError } from '../errors.ts'
import { abbreviateList, quote } from '../redact.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import { requireLedgerEntry } from '../state/ledger.ts'
import { readReadableState } from '../state/scope-state.ts'
import { findOrphanWirings, type OrphanWiring, wiredWarning } from './check/orphan-wirings.ts'
import { type VerifiedRow, verifyCapability, wiringHint } from './check/verify-capability.ts'

export interface VerifyRequest {
  /** Empty: everything. */
  readonly ids: readonly string[]
  /** Null: every scope; for ids the scope that has them. */
  readonly scope: ScopeName | null
}

export interface VerifyAnswer {
  readonly capabilities: readonly VerifiedRow[]
  /** Entries in hosts that must not be there: not installed, disabled, or not trusted. */
  readonly strays: readonly OrphanWiring[]
  /** A state file that cannot be read; the rest is compared all the same. Null if all could. */
  readonly unreadable: GsdError | null
  readonly warnings: readonly Diagnostic[]
}

/**
 * Compares installed files and host entries with the ledger; changes nothing (contract, `capability verify`).
 * @throws STATE_NOT_INSTALLED
 */
export const verify = (context: Context, { ids, scope }: VerifyRequest): VerifyAnswer => {
  const scopes = scope === null ? scopesOf(context) : [scopePathsOf(context, scope)]
  const read = scopes.map((paths) => ({ paths, ...readReadableState(context, paths) }))
  const checked = read.flatMap(({ paths, state, error }) => (state === null ? [] : [{ paths, state, error }]))
  for (const id of ids) {
    // It may be in a scope whose ledger cannot be read.
    if (checked.length < read.length) break
    if (checked.some(({ state }) => state.ledger.capabilities.has(id))) continue
    const [first] = checked
    if (first !== undefined) requireLedgerEntry(first.state.ledger.capabilities, id, first.paths)
  }
  const rows = checked.flatMap(({ paths, state }) =>
    [...state.ledger.capabilities.keys()]
      .filter((id) => ids.length === 0 || ids.includes(id))
      .map((id) => verifyCapability(context, paths, state, id)),
  )
  // In a project, whether an entry may stay depends on the consents.
  const known = checked.filter(({ paths, error }) => error === null || paths.trusted)
  const orphans = known.flatMap(({ paths, state }) =>
    findOrphanWirings(context, paths, state)
      .filter(({ id }) => ids.length === 0 || ids.includes(id))
      .map((orphan) => ({ orphan, warning: wiredWarning(orphan, paths) })),
  )
  return {
    capabilities: rows,
    strays: orphans.map(({ orphan }) => orphan),
    unreadable: read.find(({ error }) => error !== null)?.error ?? null,
    warnings: abbreviateFindings([...rows.flatMap(driftWarnings), ...orphans.map(({ warning }) => warning)]),
  }
}

const driftWarnings = ({ id, scope, files, hosts }: VerifiedRow): Diagnostic[] => [
  ...fileWarnings({ id, scope, files }),
  ...hosts
    .filter((host) => host.state !== 'ok')
    .map((host) =>
      diagnostic('warning', 'STATE_DRIFT', `${quote(id)} in ${host.runtime}: ${host.state}`, {
        id,
        scope,
        ...(host.file === '' ? {} : { file: host.file }),
        hint: wiringHint({ id, scope }, host),
      }),
    ),
]

const fileWarnings = ({ id, scope, files }: Pick<VerifiedRow, 'id' | 'scope' | 'files'>): Diagnostic[] => {
  const kinds = (['changed', 'missing', 'extra'] as const).filter((kind) => files[kind].length > 0)
  const { lineEndings } = files
  const isCheckout = lineEndings.length > 0 && lineEndings.length === files.changed.length
  const words = [...kinds.map((kind) => `${kind} ${abbreviateList(files[kind].map(quote))}`), ...files.odd.slice(0, 5)]
  if (words.length === 0) return []
  const sync = `gsd capability sync --scope ${scope}`
  const hints = {
    changed: `${sync} --force: restores it, and keeps a copy of your edits`,
    missing: sync,
    extra: 'files that the capability did not create can be deleted',
  }
  if (isCheckout) words.push('only their line endings differ, as after a checkout by git')
  const hint = files.odd.length > 0 ? 'move it away' : isCheckout ? sync : hints[kinds[0] ?? 'extra']
  return [
    diagnostic('warning', 'STATE_DRIFT', `${quote(id)} differs from what was installed: ${words.join('; ')}`, {
      id,
      scope,
      hint,
    }),
  ]
}
