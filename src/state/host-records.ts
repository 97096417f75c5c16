import { isForbiddenKey } from '../manifest/json/object.ts'
import type { Disk } from '../platform/disk.ts'
import type { ContainerRecord, HostEntry, HostFileRecord, HostHook, SurfaceKind } from './host-edit.ts'
import {
  booleanOf,
  itemsOf,
  memberOf,
  membersOf,
  rejectMember,
  nullable,
  numberOf,
  optional,
  pathOf,
  stringOf,
  textOf,
  type Member,
} from './json-member.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { isCapabilityId, isInnerPath, isNormalizedAbsolutePath } from './name-rules.ts'
import { type StateFileKind } from './parse-state-file.ts'
import type { ScopePaths } from './scope-paths.ts'
import { readStateFile, type StateFile } from './state-file.ts'

/** Our entries in host files: `{"schema":1,"files":{"<real path>":HostFileRecord}}`. */
export interface HostRecords {
  /** By the real path of the file. */
  readonly files: ReadonlyMap<string, HostFileRecord>
}

/** Reads `hosts.json`, a private file of the user, never of a repository. Never throws for what it finds. */
export const readHostRecords = (disk: Disk, paths: Pick<ScopePaths, 'hosts'>): StateFile<HostRecords> =>
  readStateFile(disk, paths.hosts, HOST_RECORDS_FILE, { followLinks: true })

export const HOST_RECORDS_FILE: StateFileKind<HostRecords> = {
  name: 'record of host files',
  schema: 1,
  hint: 'fix that file; while it cannot be read, nothing is wired or unwired',
  parse: (root) => ({
    files: new Map(
      optional(memberOf(root, 'files'), (at) =>
        membersOf(at, isNormalizedAbsolutePath, 'absolute path').map(
          ([file, record]) => [file, parseHostRecord(record)] as const,
        ),
      ),
    ),
  }),
}

/** Parses the record of one host file, for `hosts.json` and the journal. */
export const parseHostRecord = (at: Member): HostFileRecord => ({
  surface: parseSurface(memberOf(at, 'surface')),
  runtime: textOf(memberOf(at, 'runtime'), isCapabilityId, 'runtime id'),
  madeFile: booleanOf(memberOf(at, 'madeFile')),
  madeFolders: itemsOf(memberOf(at, 'madeFolders')).map(pathOf),
  containers: itemsOf(memberOf(at, 'containers')).map(parseContainer),
  entries: Object.fromEntries(
    membersOf(memberOf(at, 'entries'), isCapabilityId, 'capability id').map(([id, hooks]) => [
      id,
      itemsOf(hooks).map(parseHostEntry),
    ]),
  ),
})

export const parseSurface = (at: Member): SurfaceKind =>
  textOf(at, (text) => Object.hasOwn(SURFACE_KINDS, text), 'kind of host file') as SurfaceKind

/** Parses an entry; one without a kind is a hook. */
export const parseHostEntry = (at: Member): HostEntry => {
  const kind = optional(memberOf(at, 'kind'), (name) =>
    textOf(name, (text) => Object.hasOwn(ENTRY_PARSERS, text), 'kind of entry'),
  )
  return kind === undefined ? parseHook(at) : ENTRY_PARSERS[kind as keyof typeof ENTRY_PARSERS](at)
}

const ENTRY_PARSERS = {
  server: (at) => ({
    kind: 'server',
    name: textOf(memberOf(at, 'name'), (text) => !isForbiddenKey(text), 'name of a server'),
    value: parseObject(memberOf(at, 'value')),
    folder: nullable(memberOf(at, 'folder'), pathOf),
  }),
  file: (at) => ({
    kind: 'file',
    source: textOf(memberOf(at, 'source'), isInnerPath, 'path in a bundle'),
    sha512: textOf(memberOf(at, 'sha512'), (text) => /^[0-9a-f]{128}$/.test(text), 'sha512'),
    hosts: itemsOf(memberOf(at, 'hosts')).map((host) => textOf(host, isCapabilityId, 'runtime id')),
  }),
} satisfies { readonly [K in 'server' | 'file']: (at: Member) => Extract<HostEntry, { kind: K }> }

/** Any JSON object; it is compared and written as it is. */
const parseObject = (at: Member): JsonObject => (isObject(at.value) ? at.value : rejectMember(at, 'is not an object'))

const parseHook = (at: Member): HostHook => {
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

const parseContainer = (at: Member): ContainerRecord => ({
  pointer: stringOf(memberOf(at, 'pointer')),
  made: booleanOf(memberOf(at, 'made')),
  gap: stringOf(memberOf(at, 'gap')),
})

const SURFACE_KINDS = {
  'settings-json': true,
  'codex-hooks-json': true,
  'cursor-hooks-json': true,
  'copilot-inline': true,
  'cline-rules': true,
  'kimi-hooks-toml': true,
  'windsurf-hooks-json': true,
  'mcp-servers-json': true,
  'mcp-servers-toml': true,
  'opencode-mcp-json': true,
  'placed-file': true,
  none: true,
} as const satisfies Record<SurfaceKind, true>
