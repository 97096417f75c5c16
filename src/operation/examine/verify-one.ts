import { liesIn } from '../../config/real-path.ts'
import type { Context } from '../../context.ts'
import type { ScopeName } from '../../diagnostic.ts'
import type { HostEntry, SurfaceKind } from '../../host/host-edit.ts'
import { hostsOfRecord } from '../../host/plan-placed.ts'
import { isWhole } from '../../host/surfaces/table.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { bringsToHosts } from '../installed/brings-to-hosts.ts'
import { readInstalled, type Installed } from '../installed/installed.ts'
import { isOff, type ScopeState } from '../installed/scope-state.ts'
import { leadsTo } from '../moved/leads-to.ts'
import { hostState, type HostState } from '../wiring/host-state.ts'
import { isAgreed } from '../wiring/rewire.ts'

/** How one capability compares with its ledger entry. */
export interface VerifiedRow {
  readonly id: string
  readonly scope: ScopeName
  readonly ok: boolean
  readonly files: {
    readonly changed: readonly string[]
    readonly missing: readonly string[]
    readonly extra: readonly string[]
    /** Links, devices and the like, as sentences. */
    readonly odd: readonly string[]
  }
  readonly hosts: readonly {
    readonly runtime: string
    readonly file: string
    readonly surface: SurfaceKind | null
    readonly state: HostState | 'not wired here' | 'not trusted here'
  }[]
}

/** Compares one capability. */
export const verifyOne = (context: Context, places: ScopePlaces, state: ScopeState, id: string): VerifiedRow =>
  verifyInstalled(context, places, state, readInstalled(context, places, state, id))

/** The same, already looked at. */
export const verifyInstalled = (
  context: Context,
  places: ScopePlaces,
  state: ScopeState,
  installed: Installed,
): VerifiedRow => {
  const { scope } = places
  const files = filesOf(installed)
  const hosts = hostsOf(context, places, state, installed)
  const isClean = Object.values(files).every((names) => names.length === 0)
  return { id: installed.id, scope, files, hosts, ok: isClean && hosts.every((host) => host.state === 'ok') }
}

const filesOf = ({ dir, entry, tree }: Installed): VerifiedRow['files'] => {
  if (tree === null) return { changed: [], missing: [dir], extra: [], odd: [] }
  const { drift, odd } = tree
  const dull = tree.dull.map(({ path }) => path)
  if (tree.digest === entry?.digest) return { changed: dull, missing: [], extra: [], odd }
  // Nobody here remembers the single files; that something is other is certain all the same.
  if (drift === null) return { changed: [dir], missing: [], extra: [], odd }
  const changed = [...new Set([...drift.changed.map(({ path }) => path), ...dull])]
  const known = changed.length + drift.missing.length + drift.extra.length > 0
  return {
    changed: known || odd.length > 0 ? changed : [dir],
    missing: drift.missing,
    extra: drift.extra.map(({ path }) => path),
    odd,
  }
}

const hostsOf = (
  context: Context,
  places: ScopePlaces,
  state: ScopeState,
  installed: Installed,
): VerifiedRow['hosts'] => {
  const { id, entry, dir } = installed
  // As after the folder was moved. What the user did not agree to is not mended, it goes.
  const isAstray = (entries: readonly HostEntry[]): boolean =>
    entries.map(leadsTo).some((path) => path !== null && !liesIn(path, dir)) &&
    (places.trusted || isAgreed(places, state, installed))
  const records = [...state.hosts.files].filter(([, record]) => Object.hasOwn(record.entries, id))
  const found = records.flatMap(([file, record]) => {
    const stands = hostState(context, state, { file, record, id })
    const now = stands === 'ok' && isAstray(record.entries[id] ?? []) ? 'leads elsewhere' : stands
    return hostsOfRecord(record, id).map((runtime) => ({ runtime, file, surface: record.surface, state: now }))
  })
  if (isOff(id, state) || !bringsToHosts(installed)) return found
  const without = (entry?.runtimes ?? []).filter((runtime) => !found.some((host) => host.runtime === runtime))
  if (without.length === 0) return found
  const reason = places.trusted || isAgreed(places, state, installed) ? 'not wired here' : 'not trusted here'
  return [...found, ...without.map((runtime) => ({ runtime, file: '', surface: null, state: reason }) as const)]
}

/** What mends what a capability has, or lacks, in a host. */
export const hintFor = (
  { id, scope }: Pick<VerifiedRow, 'id' | 'scope'>,
  { state, file, surface }: VerifiedRow['hosts'][number],
): string => {
  if (state === 'not trusted here') return `gsd capability trust grant ${id} --scope ${scope}`
  if (state === 'unreadable') return `mend ${file}`
  if (state === 'edited' && surface !== null && isWhole(surface))
    return `move ${file} away, or delete it, then gsd capability sync --scope ${scope}`
  return state === 'edited'
    ? `gsd capability sync --scope ${scope} --force: writes it as it should be`
    : `gsd capability sync --scope ${scope}`
}
