import type { Context } from '../../context.ts'
import type { ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { HostFileRecord } from '../../host/host-edit.ts'
import { openHostFile } from '../../host/open-host-file.ts'
import { hostsOfRecord, isAsPlaced } from '../../host/plan-placed.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { isDisabled } from '../../store/state.ts'
import { bringsToHosts } from '../installed/brings-to-hosts.ts'
import { readInstalled, type Installed } from '../installed/installed.ts'
import type { ScopeState } from '../installed/scope-state.ts'
import { openHostBook } from '../wiring/host-book.ts'

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
  const found = records.flatMap(([file, record]) => {
    const now = hostState(context, state, { file, record, id })
    return hostsOfRecord(record, id).map((runtime) => ({ runtime, file, state: now }))
  })
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
