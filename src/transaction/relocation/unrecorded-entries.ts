import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readManifestFile } from '../../bundle/read-manifest-file.ts'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { isHook, isServer } from '../../host/edit/host-entry.ts'
import { openHostFile } from '../../host/edit/open-host-file.ts'
import { findLinkOut } from '../../host/edit/project-links.ts'
import { hostServers } from '../../host/hooks/host-servers.ts'
import { RUNTIMES } from '../../host/runtimes/built-in-runtimes.ts'
import { hookFileFor, mcpFileFor } from '../../host/runtimes/config-files.ts'
import type { HostRuntime } from '../../host/runtimes/runtime.ts'
import { bundleFolderIn } from '../../host/splice/bundle-entries.ts'
import { SURFACES } from '../../host/surfaces/surfaces.ts'
import { checkManifest } from '../../manifest/check-manifest.ts'
import type { FeatureManifest } from '../../manifest/manifest.ts'
import { isSystemFailure } from '../../platform/disk-error.ts'
import { isInside } from '../../platform/real-path.ts'
import type {
  ContainerRecord,
  HostEntry,
  HostFileRecord,
  HostHook,
  HostServer,
  SurfaceKind,
} from '../../state/host-edit.ts'
import { readHostRecords } from '../../state/host-records.ts'
import { readLedger } from '../../state/ledger.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

/**
 * Entries of installed capabilities in host files of a scope of which this machine has no record: those of a project that was
 * cloned or copied from another machine, and those of a home whose record was lost (hosts page, "Project scope and teams"). In
 * a project they may lead into any folder, in the home only into its own. Host file → the record it is to have.
 */
export const findUnrecordedEntries = (context: Context, paths: ScopePaths): ReadonlyMap<string, HostFileRecord> => {
  const { disk } = context
  const ledger = readLedger(disk, paths)
  const hosts = readHostRecords(disk, paths)
  if (ledger.state !== 'ok' || hosts.state === 'unreadable') return new Map()
  const recorded = hosts.state === 'ok' ? [...hosts.value.files.values()] : []
  const ids = [...ledger.value.capabilities]
    .filter(([id, { runtimes }]) => runtimes.length > 0 && !recorded.some(({ entries }) => Object.hasOwn(entries, id)))
    .map(([id]) => id)
  const records = new Map<string, HostFileRecord>()
  for (const id of ids) {
    for (const place of hostFilesFor(context, paths, id)) {
      const found = readEntries(context, paths, id, place)
      if (found === null) continue
      const known = records.get(found.file) ?? (hosts.state === 'ok' ? hosts.value.files.get(found.file) : undefined)
      if (known !== undefined && (known.surface !== place.surface || Object.hasOwn(known.entries, id))) continue
      records.set(found.file, {
        ...(known ?? newRecord(paths, found.file, place)),
        containers: mergeContainers(known?.containers ?? [], containersAround(place.surface, found.entries)),
        entries: { ...known?.entries, [id]: found.entries },
      })
    }
  }
  return records
}

interface HostPlace {
  readonly file: string
  readonly surface: SurfaceKind
  readonly runtime: HostRuntime
}

/** Every file in which a host of the table would read hooks or servers of a capability in this scope. */
const hostFilesFor = (context: Context, paths: ScopePaths, id: string): readonly HostPlace[] => {
  const lookup = { env: context.env, home: context.home, exists: existsSync, id }
  return RUNTIMES.flatMap((runtime) => {
    const events = runtime.files[paths.scope]?.includes('<event>') === true ? runtime.events : ['']
    const hooks = events.map((event) => hookFileFor(runtime, paths, { ...lookup, event }))
    return [...hooks, mcpFileFor(runtime, paths, lookup)].flatMap((place) =>
      'reason' in place ? [] : [{ ...place, runtime }],
    )
  })
}

/** What cannot be read or parsed has nothing to adopt; another check reports it. */
const readEntries = (
  context: Context,
  paths: ScopePaths,
  id: string,
  { file: named, surface, runtime }: HostPlace,
): { readonly file: string; readonly entries: readonly HostEntry[] } | null => {
  const { disk, global } = context
  try {
    if (findLinkOut(disk, paths, named) !== null) return null
    const { file, text } = openHostFile(disk, named, 'read')
    if (text === null || text === '') return null
    if (!paths.trusted && !isInside(file, paths.realRoot)) return null
    const mayAdopt = (folder: string): boolean => {
      const own = join(paths.realRoot, '.gsd/capabilities', id)
      return folder === own || (!paths.trusted && !isInside(folder, global.gsd))
    }
    const declared = readDeclared(disk, join(paths.capabilities, id))
    const servers = declared === null || paths.trusted ? [] : pathlessServers(declared, runtime)
    const entries = (SURFACES[surface].findBundleEntries?.(text, { file, id, servers }) ?? []).filter((entry) => {
      const folder = folderOf(entry, id)
      return isDeclared(entry, folder, declared) && (folder === null ? hasNoPath(entry) : mayAdopt(folder))
    })
    return entries.length === 0 ? null : { file, entries }
  } catch (error) {
    if (!(error instanceof GsdError) || isSystemFailure(error)) throw error
    return null
  }
}

const folderOf = (entry: HostHook | HostServer, id: string): string | null =>
  isHook(entry) ? bundleFolderIn(entry.script, id) : entry.folder

const hasNoPath = (entry: HostHook | HostServer): boolean => !isHook(entry)

/** Whether the bundle declares an entry. Where it is not there, as in a clone before `sync`, the path alone decides. */
const isDeclared = (entry: HostHook | HostServer, folder: string | null, manifest: FeatureManifest | null): boolean => {
  if (manifest === null) return true
  if (!isHook(entry)) return Object.hasOwn(manifest.mcpServers ?? {}, entry.name)
  return (manifest.hooks ?? []).some(({ script }) => folder !== null && entry.script === join(folder, script))
}

/** The servers of a capability that name no path, as a host has them. */
const pathlessServers = (manifest: FeatureManifest, runtime: HostRuntime): readonly HostServer[] => {
  const { mcp } = runtime
  if (mcp === undefined) return []
  const mcpServers = Object.fromEntries(
    Object.entries(manifest.mcpServers ?? {}).filter(
      ([, server]) => !('command' in server) || (!server.command.includes('/') && server.cwd === undefined),
    ),
  )
  return hostServers({ ...manifest, mcpServers }, { ...runtime, mcp }, { dir: '/', files: [] }).servers
}

const readDeclared = (disk: Context['disk'], dir: string): FeatureManifest | null => {
  try {
    const { manifest } = checkManifest(readManifestFile(dir, disk))
    return manifest?.role === 'feature' ? manifest : null
  } catch (error) {
    if (!(error instanceof GsdError) || isSystemFailure(error)) throw error
    return null
  }
}

/** Nobody knows any more who made the file: it is deleted with the last entry if it then holds nothing. */
const newRecord = (paths: ScopePaths, file: string, { surface, runtime }: HostPlace): HostFileRecord => ({
  surface,
  runtime: runtime.id,
  madeFile: true,
  madeFolders: paths.trusted ? [] : foldersBetween(paths.realRoot, dirname(file)),
  containers: [],
  entries: {},
})

const foldersBetween = (root: string, folder: string): readonly string[] =>
  folder !== root && isInside(folder, root) ? [...foldersBetween(root, dirname(folder)), folder] : []

/** Containers that are to go when they are empty. */
const containersAround = (surface: SurfaceKind, entries: readonly HostEntry[]): readonly ContainerRecord[] => {
  if (surface.endsWith('-toml') || surface === 'cline-rules') return []
  const events = new Set(entries.filter(isHook).map(({ event }) => `/hooks/${event}`))
  const pointers = [
    '',
    ...(events.size > 0 ? ['/version', '/hooks', ...events] : []),
    ...(entries.some(isServer) ? [surface === 'opencode-mcp-json' ? '/mcp' : '/mcpServers'] : []),
  ]
  return pointers.map((pointer) => ({ pointer, made: true, gap: '' }))
}

const mergeContainers = (
  known: readonly ContainerRecord[],
  more: readonly ContainerRecord[],
): readonly ContainerRecord[] => [
  ...known,
  ...more.filter(({ pointer }) => !known.some((each) => each.pointer === pointer)),
]
