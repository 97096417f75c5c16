import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import { strayWirings, type StrayWiring } from './examine/strays.ts'
import { hintFor, verifyOne, type VerifiedRow } from './examine/verify-one.ts'
import { wiredWarning } from './examine/warn-wired.ts'
import { entryOf } from './installed/ledger-entry-of.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import { someOf } from './installed/some-of.ts'

export interface VerifyRequest {
  /** Empty: everything. */
  readonly ids: readonly string[]
  /** Null: every scope, for ids the one that holds it. */
  readonly scope: ScopeName | null
}

export interface VerifyAnswer {
  readonly capabilities: readonly VerifiedRow[]
  /** What stands in a host and must not: not installed, disabled, or not what the user agreed to. */
  readonly strays: readonly StrayWiring[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Compares installed files and host entries with the ledger; changes nothing (contract, `capability verify`).
 * @throws STATE_NOT_INSTALLED, STATE_* where what is kept cannot be read
 */
export const verify = (context: Context, { ids, scope }: VerifyRequest): VerifyAnswer => {
  const scopes = scope === null ? scopesOf(context) : [placesOf(context, scope)]
  const looked = scopes.map((places) => ({ places, state: readScopeState(context, places) }))
  for (const id of ids) {
    if (looked.some(({ state }) => state.ledger.capabilities.has(id))) continue
    const [first] = looked
    if (first !== undefined) entryOf(first.state.ledger.capabilities, id, first.places)
  }
  const rows = looked.flatMap(({ places, state }) =>
    [...state.ledger.capabilities.keys()]
      .filter((id) => ids.length === 0 || ids.includes(id))
      .map((id) => verifyOne(context, places, state, id)),
  )
  const strays = looked.flatMap(({ places, state }) =>
    strayWirings(context, places, state)
      .filter(({ id }) => ids.length === 0 || ids.includes(id))
      .map((stray) => ({ stray, warning: wiredWarning(stray, places) })),
  )
  return {
    capabilities: rows,
    strays: strays.map(({ stray }) => stray),
    warnings: [...rows.flatMap(findingsOf), ...strays.map(({ warning }) => warning)],
  }
}

const findingsOf = ({ id, scope, files, hosts }: VerifiedRow): Diagnostic[] => [
  ...fileFinding({ id, scope, files }),
  ...hosts
    .filter((host) => host.state !== 'ok')
    .map((host) =>
      diagnostic('warning', 'STATE_DRIFT', `${quote(id)} in ${host.runtime}: ${host.state}`, {
        id,
        scope,
        ...(host.file === '' ? {} : { file: host.file }),
        hint: hintFor({ id, scope }, host),
      }),
    ),
]

const fileFinding = ({ id, scope, files }: Pick<VerifiedRow, 'id' | 'scope' | 'files'>): Diagnostic[] => {
  const kinds = (['changed', 'missing', 'extra'] as const).filter((kind) => files[kind].length > 0)
  const words = [...kinds.map((kind) => `${kind} ${someOf(files[kind].map(quote))}`), ...files.odd.slice(0, 5)]
  if (words.length === 0) return []
  const sync = `gsd capability sync --scope ${scope}`
  const hints = {
    changed: `${sync} --force: puts it back, and keeps a copy of what you edited`,
    missing: sync,
    extra: 'what the capability did not make itself can be deleted',
  }
  const hint = files.odd.length > 0 ? 'move it away' : hints[kinds[0] ?? 'extra']
  return [
    diagnostic('warning', 'STATE_DRIFT', `${quote(id)} is not as it was installed: ${words.join('; ')}`, {
      id,
      scope,
      hint,
    }),
  ]
}
