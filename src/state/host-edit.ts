import type { Json } from './json-text.ts'

/** The id of the program's own MCP server in `hosts.json`; the id of a capability may not begin like this. */
export const OWN_SERVER_ID = 'gsd-mcp'

/** A hook in a host's file, with the event name, units and command line of that host. */
export interface HostHook {
  /** Hooks have no kind: they existed before the other entries. */
  readonly kind?: never
  readonly event: string
  readonly matcher?: string
  /** Complete command line for `sh -c`. */
  readonly command: string
  /** In the host's unit. */
  readonly timeout?: number
  /** Absolute path of our script; it identifies the entry. */
  readonly script: string
}

/** An MCP server in a host's file. */
export interface HostServer {
  readonly kind: 'server'
  readonly name: string
  /** The value of the member, in the host's format. */
  readonly value: { readonly [key: string]: Json }
  /** Absolute path of our bundle, if the value contains it; it identifies an edited entry. */
  readonly folder: string | null
}

/** A skill, agent or command of ours in a folder of the host, or a file that belongs to one. */
export interface PlacedFile {
  readonly kind: 'file'
  /** Path in the bundle it was made from. */
  readonly source: string
  /** Hex sha512 of what we wrote. */
  readonly sha512: string
  /** Hosts that read this file, sorted; some share a folder. */
  readonly hosts: readonly string[]
}

/** An entry of a capability in a host's file. All entries of a file have the kind of its surface. */
export type HostEntry = HostHook | HostServer | PlacedFile

/** The format of a host's file; one row of the table of surfaces. */
export type SurfaceKind =
  | 'settings-json'
  | 'codex-hooks-json'
  | 'cursor-hooks-json'
  | 'copilot-inline'
  | 'cline-rules'
  | 'kimi-hooks-toml'
  | 'windsurf-hooks-json'
  | 'mcp-servers-json'
  | 'mcp-servers-toml'
  | 'opencode-mcp-json'
  | 'placed-file'
  | 'none'

/**
 * Replaces `remove` at `offset` (UTF-16 code units) by `insert`. The patches of a list are applied one after the other, each
 * to the result of the previous one; to revert them, the last comes first.
 */
export interface TextPatch {
  readonly offset: number
  readonly remove: string
  readonly insert: string
}

/**
 * A container in a settings file that we created, or that was empty before our first entry: enough to restore it when our
 * last entry is removed, whichever capability that belongs to (security page, "Settings files").
 */
export interface ContainerRecord {
  /** JSON pointer: `` for the root, `/hooks`, `/hooks/PreToolUse`. */
  readonly pointer: string
  /** We created the member; it is removed when it is empty. */
  readonly made: boolean
  /** The text between its brackets before our first entry; of a root that we created, the whole text. */
  readonly gap: string
}

/** The record of one host file in `hosts.json`. */
export interface HostFileRecord {
  readonly surface: SurfaceKind
  readonly runtime: string
  /** We created the file; it is deleted when it never held anything else. */
  readonly madeFile: boolean
  /** Folders we created for it, outermost first; they are removed when empty. */
  readonly madeFolders: readonly string[]
  readonly containers: readonly ContainerRecord[]
  /** Capability id → its entries in this file. */
  readonly entries: Readonly<Record<string, readonly HostEntry[]>>
}

/**
 * One change of one host file. `patches` are the exact change of the text that was read; if the user edited the file
 * meanwhile, `add` and `remove` are applied to the new text instead.
 */
export interface HostEdit {
  /** Real path, without links. */
  readonly file: string
  readonly surface: SurfaceKind
  /** The capability whose entries are added or removed. */
  readonly id: string
  readonly add: readonly HostEntry[]
  readonly remove: readonly HostEntry[]
  /** Hex sha512 of the bytes before and after; null: the file does not exist. */
  readonly hashBefore: string | null
  readonly hashAfter: string | null
  /** Mode of a file that the edit creates, less the umask; absent: 0666. */
  readonly mode?: number
  readonly patches: readonly TextPatch[]
  readonly recordBefore: HostFileRecord | null
  readonly recordAfter: HostFileRecord | null
}
