import type { BundleFile } from '../../bundle/bundle.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { doubleReaders } from '../../host/double-readers.ts'
import { isHook } from '../../host/entry.ts'
import type { HostEntry, HostFileRecord } from '../../host/host-edit.ts'
import type { KnownHosts } from '../../host/known-hosts.ts'
import { hostsOfRecord } from '../../host/plan-placed.ts'
import { realFileOf } from '../../host/real-file.ts'
import type { HostRuntime } from '../../host/runtimes/runtime.ts'
import { RUNTIMES } from '../../host/runtimes/table.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { Hosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { bundleDir } from '../installed/bundle-dir.ts'
import type { HostBook } from './host-book.ts'
import { followMoved, hookFilesHere, movedTo } from './moved-hooks.ts'
import { targetsOf, type Target } from './wiring-targets.ts'

export interface WiringRequest {
  readonly places: ScopePlaces
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
export const wire = (context: Context, hosts: Hosts, book: HostBook, request: WiringRequest): Wiring => {
  const { manifest } = request
  const wired = new Map<string, { readonly runtime: string; readonly file: string }>()
  const notWired: { runtime: string; reason: string }[] = []
  const placed: string[] = []
  const calling: HostRuntime[] = []
  const before = filesOf(hosts, manifest.id)
  for (const id of request.runtimes) {
    const host = request.known.get(id)
    const dir = bundleDir(context, request.places, manifest.id)
    const { files, reasons } =
      host === undefined
        ? { files: [], reasons: [`no host runtime ${quote(id)} is known here`] }
        : manifest.role === 'feature'
          ? orLeaveHost(manifest.id, id, before, () => targetsOf(context, { ...request, manifest, dir }, host))
          : { files: [], reasons: [] }
    notWired.push(...reasons.map((reason) => ({ runtime: id, reason })))
    if (files.length > 0 || reasons.length === 0 || host === undefined) placed.push(id)
    if (host === undefined) continue
    for (const target of targetsNow(context, book, {
      id: manifest.id,
      runtime: host.runtime,
      targets: files,
      before,
    })) {
      const file = book.wish({ ...target, runtime: id, id: manifest.id })
      if (target.entries.length > 0 || target.placement !== undefined) wired.set(`${id} ${file}`, { runtime: id, file })
    }
    if (files.some(({ entries }) => entries.some(isHook))) calling.push(host.runtime)
    if (files.length === 0 && reasons.length === 0)
      notWired.push({ runtime: id, reason: `${manifest.id} brings nothing that stands in a host` })
  }
  if (!request.force) {
    const known = [...before.values()].filter(({ entries }) => entries[manifest.id]?.some(isHook))
    refuseDoubleReaders(manifest.id, calling, new Set(known.map((record) => record.runtime)))
  }
  return { wired: [...wired.values()], notWired, runtimes: placed.toSorted() }
}

/** Where it stands in the host already, that host was not named just now, so it cannot be left out of what was typed. */
const orLeaveHost = <T>(id: string, runtime: string, before: Before, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    const stands = [...before.values()].some((record) => hostsOfRecord(record, id).includes(runtime))
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
  const pair = doubleReaders(runtimes).find(({ reader, owner }) => !before.has(reader) || !before.has(owner))
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
  hosts: Hosts,
  book: HostBook,
  id: string,
  runtime: string | null,
): readonly string[] => {
  const before = filesOf(hosts, id)
  const own = [...before].filter(([, record]) => runtime === null || hostsOfRecord(record, id).includes(runtime))
  const gone = own.flatMap(([file, record]) =>
    (runtime === null ? hostsOfRecord(record, id) : [runtime]).map((host) =>
      book.wish({ file, surface: record.surface, runtime: host, id, entries: [] }),
    ),
  )
  const moved = RUNTIMES.flatMap((row) => {
    const entries = own
      .filter(([, record]) => record.runtime === row.id)
      .flatMap(([, record]) => record.entries[id] ?? [])
    if (!entries.some(isHook)) return []
    return movedTo(context, book, row, entries, new Set(before.keys())).map((file) =>
      book.wish({ file, surface: row.surface, runtime: row.id, id, entries: [], also: entries.filter(isHook) }),
    )
  })
  // A file that was edited by hand as a whole is there as before: nothing was taken out of it.
  const stays = (file: string): boolean =>
    isThere(context.disk, file) && !book.edits().some((edit) => edit.file === file && edit.id === id)
  return [...new Set([...gone, ...moved])].filter((file) => !stays(file))
}

type Before = ReadonlyMap<string, HostFileRecord>

const filesOf = (hosts: Hosts, id: string): Before =>
  new Map([...hosts.files].filter(([, record]) => Object.hasOwn(record.entries, id)))

interface Now {
  readonly id: string
  readonly runtime: HostRuntime
  readonly targets: readonly Target[]
  readonly before: Before
}

/**
 * What is wished for, where the user moved it to, and what stood in other files before: hooks stay in a file that
 * `--settings` named, everything else goes there.
 */
const targetsNow = (context: Context, book: HostBook, { id, runtime, targets, before }: Now): readonly Target[] => {
  const files = hookFilesHere(context, runtime)
  const own = [...before].filter(([, record]) => hostsOfRecord(record, id).includes(runtime.id))
  const recorded = new Set(own.filter(([, record]) => record.surface === runtime.surface).map(([file]) => file))
  const followed = targets.flatMap((target) =>
    target.surface === runtime.surface ? followMoved(context, book, target, { files, recorded }) : [target],
  )
  const known = new Set(followed.map(({ file }) => realFileOf(context.disk, file).file))
  const hooks = uniqueHooks(targets)
  const isForOneEvent = Object.values(runtime.files).some((template) => template?.includes('<event>'))
  const former = own
    .filter(([file]) => !known.has(file))
    .map(([file, { surface }]): Target => {
      const isNamed = surface === runtime.surface && !isForOneEvent && !files.includes(file)
      return { file, surface, entries: isNamed ? hooks : [] }
    })
  return [...followed, ...former]
}

const uniqueHooks = (targets: readonly Target[]): readonly HostEntry[] => [
  ...new Set(targets.flatMap(({ entries }) => entries.filter(isHook))),
]
