import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { GsdError } from '../../errors.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { resolveRealFile } from '../../platform/real-path.ts'
import { quote } from '../../redact.ts'
import type { HostEntry } from '../../state/host-edit.ts'
import type { HostRecords } from '../../state/host-records.ts'
import { bundleDir } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isHook } from '../edit/host-entry.ts'
import { runtimesInRecord } from '../edit/plan-placed-file.ts'
import { findLinkOut } from '../edit/project-links.ts'
import { type LeftOut, leftOutError } from '../hooks/left-out.ts'
import type { DoubleRead, KnownHost, KnownHosts } from '../runtimes/known-hosts.ts'
import { findDoubleReads } from '../runtimes/known-hosts.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'
import { assignEventFiles } from './event-files.ts'
import type { HostFileEditor } from './host-file-editor.ts'
import { followMovedHooks, listRealHookFiles } from './moved-hooks.ts'
import { setEntries } from './set-entries.ts'
import { type RecordsByFile, recordsOf } from './unwire.ts'
import { resolveTargets, type WiringTarget, type WiringTargets } from './wiring-targets.ts'

export interface WiringRequest {
  readonly paths: ScopePaths
  readonly manifest: Manifest
  readonly files: readonly BundleFile[]
  /** Folder in which these files are now. */
  readonly from: string
  /** Host runtimes the capability is to be wired into. */
  readonly runtimes: readonly string[]
  readonly known: KnownHosts
  /** One more settings file, for the only runtime. */
  readonly settings: string | null
  /** Wire the hooks of hosts even if they read each other's files. */
  readonly force: boolean
  /** Refuse everything where a host cannot have a part of the capability; otherwise the rest is wired. */
  readonly strict?: boolean
  /** The ledger has the capability already: servers in a project, and files, that are as they are to be are its own. */
  readonly adopt?: boolean
  /** Where a link leads a file out of the project: refuse everything, or wire the rest and report it. */
  readonly links: 'refuse' | 'report'
}

export interface Wiring {
  readonly wired: readonly { readonly runtime: string; readonly file: string }[]
  readonly notWired: readonly { readonly runtime: string; readonly reason: string }[]
  /** For the ledger, sorted: hosts that have a place for something of the capability. */
  readonly runtimes: readonly string[]
  /** Hosts that have hooks of it now. */
  readonly hooked: readonly HostRuntime[]
  /** Files that a link of the project leads out of it; they are not wired. */
  readonly linked: readonly Diagnostic[]
}

/**
 * Plans the entries and files of a capability in the named hosts. Entries of it that are no longer needed there are removed.
 * @throws HOST_*
 */
export const wire = (
  context: Context,
  hosts: HostRecords,
  hostFiles: HostFileEditor,
  request: WiringRequest,
): Wiring => {
  const { manifest } = request
  const wired = new Map<string, { readonly runtime: string; readonly file: string }>()
  const notWired: { runtime: string; reason: string }[] = []
  const placed: string[] = []
  const linked = new Map<string, Diagnostic>()
  const hooked = new Set<HostRuntime>()
  const recordsBefore = recordsOf(hosts, manifest.id)
  const planned = request.runtimes.map((id) => {
    const host = request.known.get(id)
    return { id, host, ...targetsFor(context, request, { id, host, recordsBefore }) }
  })
  const doubleReads = doubleReadsToAvoid(planned, request, recordsBefore)
  for (const { id, host, files: targets, leftOut } of planned) {
    const leaveOut = (parts: readonly LeftOut[]): void => {
      const [first] = parts
      if (first !== undefined && request.strict === true) throw leftOutError(manifest.id, id, first)
      notWired.push(...parts.map(({ reason }) => ({ runtime: id, reason })))
    }
    const doubleRead = doubleReads.find(({ reader }) => reader === id)
    if (doubleRead !== undefined)
      leaveOut([
        { code: 'HOST_READS_TWICE', reason: `its hooks are left out: ${doubleRead.reason}`, details: doubleRead },
      ])
    const files = targets.filter(({ file, entries }) => {
      if (doubleRead !== undefined && entries.some(isHook)) return false
      const link = findLinkOut(context.disk, request.paths, file)
      if (link === null) return true
      if (request.links === 'refuse') throw link
      linked.set(file, linkedWarning(link, request, id))
      return false
    })
    leaveOut(leftOut)
    if (targets.length > 0 || leftOut.length === 0 || host === undefined) placed.push(id)
    if (host === undefined) continue
    for (const target of currentTargets(context, hostFiles, {
      id: manifest.id,
      runtime: host.runtime,
      targets: assignEventFiles(context, { hosts, hostFiles, id: manifest.id }, files),
      linked: new Set(linked.keys()),
      recordsBefore,
    })) {
      const adopt = request.adopt === true && (request.paths.scope === 'project' || target.placement !== undefined)
      const set = setEntries(hostFiles, { ...target, runtime: id, id: manifest.id, adopt })
      leaveOut(set.leftOut)
      const { file } = set
      if (set.entries.some(isHook)) hooked.add(host.runtime)
      if (set.entries.length > 0 || target.placement !== undefined) wired.set(`${id} ${file}`, { runtime: id, file })
    }
    if (targets.length === 0 && leftOut.length === 0)
      notWired.push({ runtime: id, reason: `${manifest.id} has nothing for a host` })
  }
  return {
    wired: [...wired.values()],
    notWired,
    runtimes: placed.toSorted(),
    hooked: [...hooked],
    linked: [...linked.values()],
  }
}

const linkedWarning = (
  { message, hint }: GsdError,
  { manifest: { id }, paths: { scope } }: WiringRequest,
  runtime: string,
): Diagnostic =>
  diagnostic('warning', 'HOST_LINKED', `${quote(id)} is not wired into ${runtime}: ${message}`, {
    id,
    scope,
    ...(hint === undefined ? {} : { hint }),
  })

interface HostTargetRequest {
  readonly id: string
  readonly host: KnownHost | undefined
  readonly recordsBefore: RecordsByFile
}

/** Where the capability is wired already the user did not name that host now, so not naming it is no remedy. */
const targetsFor = (
  context: Context,
  { manifest, ...request }: WiringRequest,
  { id, host, recordsBefore }: HostTargetRequest,
): WiringTargets => {
  if (host === undefined)
    return {
      files: [],
      leftOut: [{ code: 'HOST_UNKNOWN_RUNTIME', reason: `no host runtime ${quote(id)} is known here` }],
    }
  if (manifest.role !== 'feature') return { files: [], leftOut: [] }
  const isWired = [...recordsBefore.values()].some((record) => runtimesInRecord(record, manifest.id).includes(id))
  const remedy = `to remove it from that host first: gsd capability remove ${manifest.id} --runtime ${id}`
  const dir = bundleDir(context, request.paths, manifest.id)
  return resolveTargets(context, { ...request, manifest, dir, ...(isWired ? { remedy } : {}) }, host)
}

/** Hosts out of which the hooks are left; not where both hosts of a pair have them already, as after --force. */
const doubleReadsToAvoid = (
  planned: readonly { readonly host: KnownHost | undefined; readonly files: readonly WiringTarget[] }[],
  { manifest, force, paths }: WiringRequest,
  recordsBefore: RecordsByFile,
): readonly DoubleRead[] => {
  if (force) return []
  const running = planned.flatMap(({ host, files }) =>
    host !== undefined && files.some(({ entries }) => entries.some(isHook)) ? [host.runtime] : [],
  )
  const before = new Set(
    [...recordsBefore.values()]
      .filter(({ entries }) => entries[manifest.id]?.some(isHook))
      .map((record) => record.runtime),
  )
  return findDoubleReads(running, paths.scope).filter(({ reader, owner }) => !before.has(reader) || !before.has(owner))
}

interface CurrentTargetRequest {
  readonly id: string
  readonly runtime: HostRuntime
  readonly targets: readonly WiringTarget[]
  /** Files that cannot be touched now. */
  readonly linked: ReadonlySet<string>
  readonly recordsBefore: RecordsByFile
}

/**
 * The targets, the files to which the user moved hooks, and the files that held entries before: hooks stay in a file that
 * `--settings` named, everything else is removed from there.
 */
const currentTargets = (
  context: Context,
  hostFiles: HostFileEditor,
  { id, runtime, targets, linked, recordsBefore }: CurrentTargetRequest,
): readonly WiringTarget[] => {
  const files = listRealHookFiles(context, runtime)
  const own = [...recordsBefore].filter(([, record]) => runtimesInRecord(record, id).includes(runtime.id))
  const recorded = new Set(own.filter(([, record]) => record.surface === runtime.surface).map(([file]) => file))
  const followed = targets.flatMap((target) =>
    target.surface === runtime.surface ? followMovedHooks(context, hostFiles, target, { files, recorded }) : [target],
  )
  const known = new Set(followed.map(({ file }) => resolveRealFile(context.disk, file).file))
  const hooks = uniqueHooks(targets)
  const isForOneEvent = Object.values(runtime.files).some((template) => template?.includes('<event>'))
  const former = own
    .filter(([file]) => !known.has(file) && !linked.has(file))
    .map(([file, { surface }]): WiringTarget => {
      const isNamed = surface === runtime.surface && !isForOneEvent && !files.includes(file)
      return { file, surface, entries: isNamed ? hooks : [] }
    })
  return [...followed, ...former]
}

const uniqueHooks = (targets: readonly WiringTarget[]): readonly HostEntry[] => [
  ...new Set(targets.flatMap(({ entries }) => entries.filter(isHook))),
]
