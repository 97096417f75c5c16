import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { doubleReaders } from '../host/double-readers.ts'
import { hostFile } from '../host/host-file.ts'
import { hostHooks, type HookFile } from '../host/host-hooks.ts'
import type { HostHook, SurfaceKind } from '../host/host-edit.ts'
import { realFileOf } from '../host/real-file.ts'
import { runtimeOf } from '../host/runtime-of.ts'
import type { HostRuntime } from '../host/runtimes/runtime.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { Hosts } from '../store/hosts.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { HostBook } from './host-book.ts'

export interface WiringRequest {
  readonly places: ScopePlaces
  readonly manifest: Manifest
  readonly files: readonly HookFile[]
  /** Host runtimes the capability is to be wired into. */
  readonly runtimes: readonly string[]
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
 * Plans that a capability's hooks stand in the files of the hosts named, and in those where they stood before; what stood
 * there and is no longer wanted goes.
 * @throws HOST_*
 */
export const wire = (context: Context, hosts: Hosts, book: HostBook, request: WiringRequest): Wiring => {
  const { manifest, places } = request
  const wired = new Map<string, string>()
  const notWired: { runtime: string; reason: string }[] = []
  const placed: string[] = []
  const calling: HostRuntime[] = []
  const before = filesOf(hosts, manifest.id)
  const dir = bundleDir(context, places, manifest.id)
  for (const id of request.runtimes) {
    const runtime = runtimeOf(id)
    const hooks = manifest.role === 'feature' ? hostHooks(manifest, runtime, dir, request.files) : []
    const targets = targetsOf(context, request, runtime, hooks)
    if ('reason' in targets) {
      notWired.push({ runtime: id, reason: targets.reason })
      continue
    }
    placed.push(id)
    for (const target of [...targets.files, ...formerTargets(before, targets.files, runtime, hooks)]) {
      const file = book.wish({ ...target, runtime: id, id: manifest.id })
      if (target.hooks.length > 0) wired.set(`${id} ${file}`, file)
    }
    if (hooks.length > 0) calling.push(runtime)
    else notWired.push({ runtime: id, reason: `${manifest.id} has no hooks` })
  }
  if (!request.force)
    refuseDoubleReaders(manifest.id, calling, new Set([...before.values()].map((record) => record.runtime)))
  return {
    wired: [...wired].map(([key, file]) => ({ runtime: key.slice(0, key.indexOf(' ')), file })),
    notWired,
    runtimes: placed.toSorted(),
  }
}

/** @throws HOST_READS_TWICE for a pair of hosts that was not wired before */
const refuseDoubleReaders = (id: string, runtimes: readonly HostRuntime[], before: ReadonlySet<string>): void => {
  const pair = doubleReaders(runtimes).find(({ reader, owner }) => !before.has(reader) || !before.has(owner))
  if (pair === undefined) return
  throw new GsdError(
    'HOST_READS_TWICE',
    `${quote(id)} cannot be wired into ${pair.owner} and ${pair.reader} both: ${pair.reason}`,
    {
      hint: `leave out --runtime ${pair.reader}, or add --force`,
      details: pair,
    },
  )
}

/** Plans that nothing of a capability stands in any file any more, or in none of one host. */
export const unwire = (hosts: Hosts, book: HostBook, id: string, runtime: string | null): readonly string[] =>
  [...filesOf(hosts, id)]
    .filter(([, record]) => runtime === null || record.runtime === runtime)
    .map(([file, record]) => book.wish({ file, surface: record.surface, runtime: record.runtime, id, hooks: [] }))

/** Where the bundle will be, by its real path. In a home a folder above may be a link; the bundle's own never is one. */
export const bundleDir = ({ disk }: Context, { capabilities }: ScopePlaces, id: string): string =>
  join(realFileOf(disk, capabilities).file, id)

/** Files of this host in which hooks of the capability stand and that are not among the targets, such as `--settings` of before. */
const formerTargets = (
  before: ReturnType<typeof filesOf>,
  targets: readonly Target[],
  runtime: HostRuntime,
  hooks: readonly HostHook[],
): readonly Target[] => {
  const isForOneEvent = Object.values(runtime.files).some((template) => template?.includes('<event>'))
  return [...before]
    .filter(([file, record]) => record.runtime === runtime.id && !targets.some((target) => target.file === file))
    .map(([file, { surface }]) => ({ file, surface, hooks: isForOneEvent ? [] : hooks }))
}

const filesOf = (hosts: Hosts, id: string) =>
  new Map([...hosts.files].filter(([, record]) => Object.hasOwn(record.entries, id)))

interface Target {
  readonly file: string
  readonly surface: SurfaceKind
  readonly hooks: readonly HostHook[]
}

/** One file for all hooks, or one for each event, as the host has it. */
const targetsOf = (
  context: Context,
  { settings, places, manifest }: WiringRequest,
  runtime: HostRuntime,
  hooks: readonly HostHook[],
): { readonly files: readonly Target[] } | { readonly reason: string } => {
  const files = new Map<string, Target>()
  const world = { env: context.env, home: context.home, exists: existsSync, id: manifest.id }
  const events = hooks.length === 0 ? [undefined] : [...new Set(hooks.map(({ event }) => event))]
  for (const event of events) {
    const place = hostFile(runtime, places, event === undefined ? world : { ...world, event })
    if ('reason' in place) return place
    const here = hooks.filter((hook) => hook.event === event)
    if (hooks.length === 0) continue
    const known = files.get(place.file)
    files.set(place.file, { ...place, hooks: [...(known?.hooks ?? []), ...here] })
    if (settings !== null) files.set(settings, { file: settings, surface: place.surface, hooks: [...hooks] })
  }
  return { files: [...files.values()] }
}
