import type { ContainerRecord, HostEntry, HostFileRecord, HostHook, SurfaceKind } from '../host/host-edit.ts'
import type { Disk } from './disk.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { isCapabilityId, isForbiddenKey, isInnerPath, isWholePath } from './names.ts'
import type { ScopePlaces } from './places.ts'
import {
  flagOf,
  itemsOf,
  memberOf,
  membersOf,
  misshapen,
  nullable,
  numberOf,
  optional,
  pathOf,
  stringOf,
  textOf,
  type Member,
} from './shape.ts'
import { readStoreFile, type Kind, type StoreFile } from './store-file.ts'

/** What was written into files of hosts: `{"schema":1,"files":{"<real path>":HostFileRecord}}`. */
export interface Hosts {
  /** By the real path of the file. */
  readonly files: ReadonlyMap<string, HostFileRecord>
}

/** Reads `hosts.json`, which is always the user's own, never a repository's. Never throws for what it finds. */
export const readHosts = (disk: Disk, places: Pick<ScopePlaces, 'hosts'>): StoreFile<Hosts> =>
  readStoreFile(disk, places.hosts, HOSTS, { links: true })

export const HOSTS: Kind<Hosts> = {
  name: 'record of host files',
  schema: 1,
  hint: 'mend that file; while it cannot be read nothing is wired or unwired',
  read: (root) => ({
    files: new Map(
      optional(memberOf(root, 'files'), (at) =>
        membersOf(at, isWholePath, 'absolute path').map(([file, record]) => [file, hostRecordOf(record)] as const),
      ),
    ),
  }),
}

/** What is kept of one host file, checked; also used for what a journal says of it. */
export const hostRecordOf = (at: Member): HostFileRecord => ({
  surface: surfaceOf(memberOf(at, 'surface')),
  runtime: textOf(memberOf(at, 'runtime'), isCapabilityId, 'runtime id'),
  madeFile: flagOf(memberOf(at, 'madeFile')),
  madeFolders: itemsOf(memberOf(at, 'madeFolders')).map(pathOf),
  containers: itemsOf(memberOf(at, 'containers')).map(containerOf),
  entries: Object.fromEntries(
    membersOf(memberOf(at, 'entries'), isCapabilityId, 'capability id').map(([id, hooks]) => [
      id,
      itemsOf(hooks).map(entryOf),
    ]),
  ),
})

export const surfaceOf = (at: Member): SurfaceKind =>
  textOf(at, (text) => Object.hasOwn(SURFACES, text), 'kind of host file') as SurfaceKind

/** Anything of a capability's that stands in a host's file; a hook where it does not say what it is. */
export const entryOf = (at: Member): HostEntry => {
  const kind = optional(memberOf(at, 'kind'), (name) =>
    textOf(name, (text) => Object.hasOwn(ENTRIES, text), 'kind of entry'),
  )
  return kind === undefined ? hookOf(at) : ENTRIES[kind as keyof typeof ENTRIES](at)
}

const ENTRIES = {
  server: (at) => ({
    kind: 'server',
    name: textOf(memberOf(at, 'name'), (text) => !isForbiddenKey(text), 'name of a server'),
    value: objectOf(memberOf(at, 'value')),
    folder: nullable(memberOf(at, 'folder'), pathOf),
  }),
  file: (at) => ({
    kind: 'file',
    source: textOf(memberOf(at, 'source'), isInnerPath, 'path in a bundle'),
    sha512: textOf(memberOf(at, 'sha512'), (text) => /^[0-9a-f]{128}$/.test(text), 'sha512'),
    hosts: itemsOf(memberOf(at, 'hosts')).map((host) => textOf(host, isCapabilityId, 'runtime id')),
  }),
} satisfies { readonly [K in 'server' | 'file']: (at: Member) => Extract<HostEntry, { kind: K }> }

/** Any JSON object: it is compared, and written as it stands. */
const objectOf = (at: Member): JsonObject => (isObject(at.value) ? at.value : misshapen(at, 'is not an object'))

const hookOf = (at: Member): HostHook => {
  const matcher = optional(memberOf(at, 'matcher'), stringOf)
  const timeout = optional(memberOf(at, 'timeout'), numberOf)
  return {
    event: textOf(memberOf(at, 'event')),
    command: stringOf(memberOf(at, 'command')),
    script: pathOf(memberOf(at, 'script')),
    ...(matcher === undefined ? {} : { matcher }),
    ...(timeout === undefined ? {} : { timeout }),
  }
}

const containerOf = (at: Member): ContainerRecord => ({
  pointer: stringOf(memberOf(at, 'pointer')),
  made: flagOf(memberOf(at, 'made')),
  gap: stringOf(memberOf(at, 'gap')),
})

const SURFACES = {
  'settings-json': true,
  'codex-hooks-json': true,
  'cursor-hooks-json': true,
  'copilot-inline': true,
  'cline-rules': true,
  'kimi-hooks-toml': true,
  'windsurf-hooks-json': true,
  'mcp-servers-json': true,
  'mcp-servers-toml': true,
  'placed-file': true,
  none: true,
} as const satisfies Record<SurfaceKind, true>
