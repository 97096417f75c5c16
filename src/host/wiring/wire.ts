import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { pathExists } from '../../platform/path-exists.ts'
import { resolveRealFile } from '../../platform/real-file.ts'
import { quote } from '../../redact.ts'
import type { HostEntry, HostFileRecord } from '../../state/host-edit.ts'
import type { HostRecords } from '../../state/host-records.ts'
import { bundleDir } from '../../state/installed.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isHook } from '../edit/host-entry.ts'
import { runtimesInRecord } from '../edit/plan-placed-file.ts'
import { findDoubleReads } from '../runtimes/double-reads.ts'
import type { KnownHosts } from '../runtimes/known-hosts.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'
import { RUNTIMES } from '../runtimes/table.ts'
import type { HostFileEditor } from './host-file-editor.ts'
import { followMovedHooks, listRealHookFiles, findMovedHooks } from './moved-hooks.ts'
import { resolveTargets, type WiringTarget } from './wiring-targets.ts'

export interface WiringRequest {
  readonly paths: ScopePaths
  readonly manifest: Manifest
  readonly files: readonly BundleFile[]
  /** Folder in which these files are now. */
  readonly from: string
  /** Host runtimes the capability is to be wired into. */
  readonly runtimes: readonly string[]
  readonly known: KnownHosts
  /** A settings file to use as well, for the only runtime. */
  readonly settings: string | null
  /** Wire hosts that read each other's files all the same. */
  readonly force: boolean
}

export interface Wiring {
  readonly wired: readonly { readonly runtime: string; readonly file: string }[]
  readonly notWired: readonly { readonly runtime: string; readonly reason: string }[]
  /** For the ledger, sorted: hosts that have a place for what the capability brings. */
  readonly runtimes: readonly string[]
}

/**
 * Plans that what a capability brings stands in the files of the hosts named, and in those where it stood before; what
 * stood there and is no longer wanted goes.
 * @throws HOST_*
 */
export const wire = (context: Context, hosts: HostRecords, book: HostFileEditor, request: WiringRequest): Wiring => {
  const { manifest } = request
  const wired = new Map<string, { readonly runtime: string; readonly file: string }>()
  const notWired: { runtime: string; reason: string }[] = []
  const placed: string[] = []
  const calling: HostRuntime[] = []
  const recordsBefore = recordsOf(hosts, manifest.id)
  for (const id of request.runtimes) {
    const host = request.known.get(id)
    const dir = bundleDir(context, request.paths, manifest.id)
    const { files, reasons } =
      host === undefined
        ? { files: [], reasons: [`no host runtime ${quote(id)} is known here`] }
        : manifest.role === 'feature'
          ? withRemovalHint(manifest.id, id, recordsBefore, () =>
              resolveTargets(context, { ...request, manifest, dir }, host),
            )
          : { files: [], reasons: [] }
    notWired.push(...reasons.map((reason) => ({ runtime: id, reason })))
    if (files.length > 0 || reasons.length === 0 || host === undefined) placed.push(id)
    if (host === undefined) continue
    for (const target of currentTargets(context, book, {
      id: manifest.id,
      runtime: host.runtime,
      targets: files,
      recordsBefore,
    })) {
      const file = book.setEntries({ ...target, runtime: id, id: manifest.id })
      if (target.entries.length > 0 || target.placement !== undefined) wired.set(`${id} ${file}`, { runtime: id, file })
    }
    if (files.some(({ entries }) => entries.some(isHook))) calling.push(host.runtime)
    if (files.length === 0 && reasons.length === 0)
      notWired.push({ runtime: id, reason: `${manifest.id} brings nothing that stands in a host` })
  }
  if (!request.force) {
    const known = [...recordsBefore.values()].filter(({ entries }) => entries[manifest.id]?.some(isHook))
    refuseDoubleReaders(manifest.id, calling, new Set(known.map((record) => record.runtime)))
  }
  return { wired: [...wired.values()], notWired, runtimes: placed.toSorted() }
}

/** Where it stands in the host already, that host was not named just now, so it cannot be left out of what was typed. */
const withRemovalHint = <T>(id: string, runtime: string, before: RecordsByFile, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    const stands = [...before.values()].some((record) => runtimesInRecord(record, id).includes(runtime))
    if (!(error instanceof GsdError) || !stands || error.hint?.startsWith('leave out --runtime') !== true) throw error
    const { code, message, details } = error
    const [, rest = ''] = /; (.*)$/.exec(error.hint) ?? []
    const remedy = `to take it out of that host first: gsd capability remove ${id} --runtime ${runtime}`
    const hint = rest === '' ? remedy : `${rest}; ${remedy}`
    throw new GsdError(code, message, { hint, details: details ?? {}, cause: error })
  }
}

/** @throws HOST_READS_TWICE for a pair of hosts that was not wired before */
const refuseDoubleReaders = (id: string, runtimes: readonly HostRuntime[], before: ReadonlySet<string>): void => {
  const pair = findDoubleReads(runtimes).find(({ reader, owner }) => !before.has(reader) || !before.has(owner))
  if (pair === undefined) return
  throw new GsdError(
    'HOST_READS_TWICE',
    `${quote(id)} cannot be wired into ${pair.owner} and ${pair.reader} both: ${pair.reason}`,
    { hint: `leave out --runtime ${pair.reader}, or add --force`, details: pair },
  )
}

/**
 * Plans that nothing of a capability stands in any file any more, or in none of one host; also where it was moved to.
 * Returns the files that it leaves.
 */
export const unwire = (
  context: Context,
  hosts: HostRecords,
  book: HostFileEditor,
  id: string,
  runtime: string | null,
): readonly string[] => {
  const before = recordsOf(hosts, id)
  const own = [...before].filter(([, record]) => runtime === null || runtimesInRecord(record, id).includes(runtime))
  const gone = own.flatMap(([file, record]) =>
    (runtime === null ? runtimesInRecord(record, id) : [runtime]).map((host) =>
      book.setEntries({ file, surface: record.surface, runtime: host, id, entries: [] }),
    ),
  )
  const moved = RUNTIMES.flatMap((row) => {
    const entries = own
      .filter(([, record]) => record.runtime === row.id)
      .flatMap(([, record]) => record.entries[id] ?? [])
    if (!entries.some(isHook)) return []
    return findMovedHooks(context, book, row, entries, new Set(before.keys())).map((file) =>
      book.setEntries({
        file,
        surface: row.surface,
        runtime: row.id,
        id,
        entries: [],
        alsoRemove: entries.filter(isHook),
      }),
    )
  })
  // A file that was edited by hand as a whole is there as before: nothing was taken out of it.
  const exists = (file: string): boolean =>
    pathExists(context.disk, file) && !book.edits().some((edit) => edit.file === file && edit.id === id)
  return [...new Set([...gone, ...moved])].filter((file) => !exists(file))
}

type RecordsByFile = ReadonlyMap<string, HostFileRecord>

const recordsOf = (hosts: HostRecords, id: string): RecordsByFile =>
  new Map([...hosts.files].filter(([, record]) => Object.hasOwn(record.entries, id)))

interface CurrentTargetRequest {
  readonly id: string
  readonly runtime: HostRuntime
  readonly targets: readonly WiringTarget[]
  readonly recordsBefore: RecordsByFile
}

/**
 * What is wished for, where the user moved it to, and what stood in other files before: hooks stay in a file that
 * `--settings` named, everything else goes there.
 */
const currentTargets = (
  context: Context,
  book: HostFileEditor,
  { id, runtime, targets, recordsBefore }: CurrentTargetRequest,
): readonly WiringTarget[] => {
  const files = listRealHookFiles(context, runtime)
  const own = [...recordsBefore].filter(([, record]) => runtimesInRecord(record, id).includes(runtime.id))
  const recorded = new Set(own.filter(([, record]) => record.surface === runtime.surface).map(([file]) => file))
  const followed = targets.flatMap((target) =>
    target.surface === runtime.surface ? followMovedHooks(context, book, target, { files, recorded }) : [target],
  )
  const known = new Set(followed.map(({ file }) => resolveRealFile(context.disk, file).file))
  const hooks = uniqueHooks(targets)
  const isForOneEvent = Object.values(runtime.files).some((template) => template?.includes('<event>'))
  const former = own
    .filter(([file]) => !known.has(file))
    .map(([file, { surface }]): WiringTarget => {
      const isNamed = surface === runtime.surface && !isForOneEvent && !files.includes(file)
      return { file, surface, entries: isNamed ? hooks : [] }
    })
  return [...followed, ...former]
}

const uniqueHooks = (targets: readonly WiringTarget[]): readonly HostEntry[] => [
  ...new Set(targets.flatMap(({ entries }) => entries.filter(isHook))),
]
