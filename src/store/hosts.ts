import type { ContainerRecord, HostFileRecord, HostHook, SurfaceKind } from '../host/host-edit.ts'
import type { Disk } from './disk.ts'
import { isCapabilityId, isWholePath } from './names.ts'
import type { ScopePlaces } from './places.ts'
import {
  flagOf,
  itemsOf,
  memberOf,
  membersOf,
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
export const readHosts = (disk: Disk, places: ScopePlaces): StoreFile<Hosts> =>
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
      itemsOf(hooks).map(hookOf),
    ]),
  ),
})

export const surfaceOf = (at: Member): SurfaceKind =>
  textOf(at, (text) => Object.hasOwn(SURFACES, text), 'kind of host file') as SurfaceKind

export const hookOf = (at: Member): HostHook => {
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
  none: true,
} as const satisfies Record<SurfaceKind, true>
