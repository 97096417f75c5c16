import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import type { HostFileRecord } from '../host/host-edit.ts'
import { openHostFile } from '../host/open-host-file.ts'
import { isAsPlaced } from '../host/plan-placed.ts'
import { quote } from '../redact.ts'
import type { ScopePlaces } from '../store/places.ts'
import { isDisabled } from '../store/state.ts'
import { bringsToHosts } from './brings-to-hosts.ts'
import { openHostBook } from './host-book.ts'
import { readInstalled, type Installed } from './installed.ts'
import { entryOf } from './ledger-entry-of.ts'
import { placesOf } from './scope-places.ts'
import { readScopeState, type ScopeState } from './scope-state.ts'
import { strayWirings, type StrayWiring } from './strays.ts'
import { wiredWarning } from './warn-wired.ts'

export interface VerifyRequest {
  /** Empty: everything. */
  readonly ids: readonly string[]
  /** Null: every scope, for ids the one that holds it. */
  readonly scope: ScopeName | null
}

/** How one capability compares with its ledger entry. */
export interface VerifiedRow {
  readonly id: string
  readonly scope: ScopeName
  readonly ok: boolean
  readonly files: {
    readonly changed: readonly string[]
    readonly missing: readonly string[]
    readonly extra: readonly string[]
  }
  readonly hosts: readonly { readonly runtime: string; readonly file: string; readonly state: HostState }[]
}

export type HostState = 'ok' | 'missing or edited' | 'unreadable' | 'not wired here'

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

/** Compares one capability. */
export const verifyOne = (context: Context, places: ScopePlaces, state: ScopeState, id: string): VerifiedRow => {
  const installed = readInstalled(context, places, state, id)
  const files = filesOf(installed)
  const hosts = hostsOf(context, state, installed)
  const clean = files.changed.length + files.missing.length + files.extra.length === 0
  return { id, scope: places.scope, files, hosts, ok: clean && hosts.every((host) => host.state === 'ok') }
}

const filesOf = ({ dir, entry, tree }: Installed): VerifiedRow['files'] => {
  if (tree === null) return { changed: [], missing: [dir], extra: [] }
  if (tree.digest === entry?.digest) return { changed: [], missing: [], extra: [...tree.odd] }
  // Nobody here remembers the single files; that something is other is certain all the same.
  if (tree.drift === null) return { changed: [dir], missing: [], extra: [...tree.odd] }
  const { changed, missing, extra } = tree.drift
  const names = {
    changed: changed.map(({ path }) => path),
    missing: [...missing],
    extra: [...extra.map(({ path }) => path), ...tree.odd],
  }
  const known = names.changed.length + names.missing.length + names.extra.length > 0
  return known ? names : { ...names, changed: [dir] }
}

const hostsOf = (context: Context, state: ScopeState, installed: Installed): VerifiedRow['hosts'] => {
  const { id, entry } = installed
  const records = [...state.hosts.files].filter(([, record]) => Object.hasOwn(record.entries, id))
  const found = records.map(([file, record]) => ({
    runtime: record.runtime,
    file,
    state: hostState(context, state, { file, record, id }),
  }))
  if (isDisabled(id, state.state, null) || !bringsToHosts(installed)) return found
  const without = (entry?.runtimes ?? []).filter((runtime) => !found.some((host) => host.runtime === runtime))
  return [...found, ...without.map((runtime) => ({ runtime, file: '', state: 'not wired here' as const }))]
}

/** Plans that the hooks stand there as recorded: where that is no change, they do. */
const hostState = (
  context: Context,
  state: ScopeState,
  { file, record, id }: { readonly file: string; readonly record: HostFileRecord; readonly id: string },
): HostState => {
  const book = openHostBook(context, state.hosts)
  try {
    if (record.surface === 'placed-file')
      return isAsPlaced(openHostFile(context.disk, file), record, id) ? 'ok' : 'missing or edited'
    book.wish({ file, surface: record.surface, runtime: record.runtime, id, entries: record.entries[id] ?? [] })
    return book.edits().length === 0 && !book.warnings().some(({ code }) => code === 'HOST_ENTRY_EDITED')
      ? 'ok'
      : 'missing or edited'
  } catch (error) {
    if (error instanceof GsdError) return 'unreadable'
    throw error
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
        hint: host.state === 'unreadable' ? `mend ${host.file}` : `gsd capability sync --scope ${scope}`,
      }),
    ),
]

const fileFinding = ({ id, scope, files }: Pick<VerifiedRow, 'id' | 'scope' | 'files'>): Diagnostic[] => {
  const parts = Object.entries(files).filter(([, names]) => names.length > 0)
  if (parts.length === 0) return []
  const words = parts.map(
    ([kind, names]) => `${kind} ${names.slice(0, 5).map(quote).join(', ')}${names.length > 5 ? ', …' : ''}`,
  )
  return [
    diagnostic('warning', 'STATE_DRIFT', `${quote(id)} is not as it was installed: ${words.join('; ')}`, {
      id,
      scope,
      hint: `gsd capability sync --scope ${scope} --force puts it back, and keeps a copy of what you edited`,
    }),
  ]
}
