import { MAX_SHOWN } from '../../abbreviate.ts'
import type { Context } from '../../context.ts'
import type { ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { bundlePathIn } from '../../host/edit/host-entry.ts'
import { runtimesInRecord } from '../../host/edit/plan-placed-file.ts'
import { ownsWholeFile } from '../../host/surfaces/surfaces.ts'
import { checkHostFile, type HostFileStatus } from '../../host/wiring/host-file-status.ts'
import { hasConsent } from '../../host/wiring/rewire.ts'
import { isInside } from '../../platform/real-path.ts'
import type { HostEntry, SurfaceKind } from '../../state/host-edit.ts'
import { manifestOf } from '../../state/installed-manifest.ts'
import { type InstalledCapability, readInstalled } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isSwitchedOff, type ScopeState } from '../../state/scope-state.ts'

/** One capability compared with its ledger entry. */
export interface VerifiedRow {
  readonly id: string
  readonly scope: ScopeName
  readonly ok: boolean
  readonly files: {
    readonly changed: readonly string[]
    readonly missing: readonly string[]
    readonly extra: readonly string[]
    /** Those of `changed` that differ in line endings only, as after a checkout with `core.autocrlf`. */
    readonly lineEndings: readonly string[]
    /** Links, devices and the like, as sentences. */
    readonly odd: readonly string[]
  }
  /** How many more names of each kind there are than are listed. */
  readonly moreFiles: Readonly<Record<keyof VerifiedRow['files'], number>>
  readonly hosts: readonly {
    readonly runtime: string
    readonly file: string
    readonly surface: SurfaceKind | null
    readonly state: HostFileStatus | 'not wired here' | 'not trusted here'
  }[]
}

/** Compares one capability. */
export const verifyCapability = (context: Context, paths: ScopePaths, state: ScopeState, id: string): VerifiedRow =>
  verifyInstalled(context, paths, state, readInstalled(context, paths, state, id))

/** The same for one that was already read. */
export const verifyInstalled = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  installed: InstalledCapability,
): VerifiedRow => {
  const { scope } = paths
  const all = compareFiles(installed)
  const hosts = compareHosts(context, paths, state, installed)
  const isClean = Object.values(all).every((names) => names.length === 0)
  const cut = <T>(pick: (names: readonly string[]) => T) => ({
    changed: pick(all.changed),
    missing: pick(all.missing),
    extra: pick(all.extra),
    lineEndings: pick(all.lineEndings),
    odd: pick(all.odd),
  })
  return {
    id: installed.id,
    scope,
    files: cut((names) => names.slice(0, MAX_SHOWN)),
    moreFiles: cut((names) => Math.max(0, names.length - MAX_SHOWN)),
    hosts,
    ok: isClean && hosts.every((host) => host.state === 'ok'),
  }
}

const compareFiles = ({ dir, entry, tree }: InstalledCapability): VerifiedRow['files'] => {
  if (tree === null) return { changed: [], missing: [dir], extra: [], lineEndings: [], odd: [] }
  const { drift, unexpected } = tree
  const dull = tree.notExecutable.map(({ path }) => path)
  if (tree.digest === entry?.digest) return { changed: dull, missing: [], extra: [], lineEndings: [], odd: unexpected }
  // Without a receipt only the whole is known to differ.
  if (drift === null) return { changed: [dir], missing: [], extra: [], lineEndings: [], odd: unexpected }
  const changed = [...new Set([...drift.changed.map(({ path }) => path), ...dull])]
  const known = changed.length + drift.missing.length + drift.extra.length > 0
  return {
    changed: known || unexpected.length > 0 ? changed : [dir],
    missing: drift.missing,
    extra: drift.extra.map(({ path }) => path),
    lineEndings: drift.lineEndings.map(({ path }) => path),
    odd: unexpected,
  }
}

const compareHosts = (
  context: Context,
  paths: ScopePaths,
  state: ScopeState,
  installed: InstalledCapability,
): VerifiedRow['hosts'] => {
  const { id, entry, dir } = installed
  // True after the folder was moved. Without consent the entry is removed instead of fixed.
  const isOutsideBundle = (entries: readonly HostEntry[]): boolean =>
    entries.map(bundlePathIn).some((path) => path !== null && !isInside(path, dir)) &&
    hasConsent(paths, state, installed)
  const records = [...state.hostRecords.files].filter(([, record]) => Object.hasOwn(record.entries, id))
  const found = records.flatMap(([file, record]) => {
    const status = checkHostFile(context, paths, state, { file, record, id })
    const now = status === 'ok' && isOutsideBundle(record.entries[id] ?? []) ? 'leads elsewhere' : status
    return runtimesInRecord(record, id).map((runtime) => ({ runtime, file, surface: record.surface, state: now }))
  })
  if (isSwitchedOff(id, state) || !needsHostEntries(installed)) return found
  const without = (entry?.runtimes ?? []).filter((runtime) => !found.some((host) => host.runtime === runtime))
  if (without.length === 0) return found
  const reason = hasConsent(paths, state, installed) ? 'not wired here' : 'not trusted here'
  return [...found, ...without.map((runtime) => ({ runtime, file: '', surface: null, state: reason }) as const)]
}

/** The command that fixes a capability's entries in a host. */
export const wiringHint = (
  { id, scope }: Pick<VerifiedRow, 'id' | 'scope'>,
  { state, file, surface }: VerifiedRow['hosts'][number],
): string => {
  if (state === 'not trusted here') return `gsd capability trust grant ${id} --scope ${scope}`
  if (state === 'unreadable') return `fix ${file}`
  if (state === 'linked') return `remove the link on the way to ${file}, then gsd capability sync --scope ${scope}`
  if (state === 'edited' && surface !== null && ownsWholeFile(surface))
    return `move ${file} away, or delete it, then gsd capability sync --scope ${scope}`
  return state === 'edited'
    ? `gsd capability sync --scope ${scope} --force: rewrites it`
    : `gsd capability sync --scope ${scope}`
}

/** Whether an installed capability needs entries in hosts. Unreadable ones count as needing some. */
export const needsHostEntries = (installed: InstalledCapability): boolean => {
  try {
    const manifest = manifestOf(installed)
    if (manifest.role !== 'feature') return false
    const { hooks = [], mcpServers = {}, skills, agents } = manifest
    const paths = installed.tree?.files.map(({ path }) => path) ?? []
    return (
      hooks.length + Object.keys(mcpServers).length > 0 ||
      skills.some((stem) => paths.includes(`skills/${stem}/SKILL.md`) || paths.includes(`skills/${stem}.md`)) ||
      agents.some((stem) => paths.includes(`agents/${stem}.md`))
    )
  } catch (error) {
    if (error instanceof GsdError) return true
    throw error
  }
}
