import type { Json } from './json-text.ts'

/** A hook as it is to stand in one host's file: event name, units and command are the host's own. */
export interface HostHook {
  /** Hooks came first, and go without. */
  readonly kind?: never
  readonly event: string
  readonly matcher?: string
  /** Complete command line for `sh -c`. */
  readonly command: string
  /** In the host's unit. */
  readonly timeout?: number
  /** Absolute path of our script, by which the entry is recognised. */
  readonly script: string
}

/** An MCP server as it is to stand in one host's file. */
export interface HostServer {
  readonly kind: 'server'
  readonly name: string
  /** What stands under the name, in the host's own form. */
  readonly value: { readonly [key: string]: Json }
  /** Absolute path of our bundle where the value leads into it; by it an edited entry is recognised. */
  readonly folder: string | null
}

/** A skill, agent or command of ours in a folder of the host, or a file that goes with one. */
export interface PlacedFile {
  readonly kind: 'file'
  /** Path in the bundle it was made from. */
  readonly source: string
  /** Hex sha512 of what we wrote. */
  readonly sha512: string
  /** Hosts that read it there, sorted; some share a folder. */
  readonly hosts: readonly string[]
}

/** Anything of a capability's that stands in a host's file. All entries of one file are of the kind of its surface. */
export type HostEntry = HostHook | HostServer | PlacedFile

/** Which form a host's file has; one row of the table of surfaces. */
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
  | 'placed-file'
  | 'none'

/**
 * A replacement in a text: at `offset` (UTF-16 code units) `remove` stands and becomes `insert`. Patches of a list are
 * applied in order, each to the text that the ones before it left; reverted, they run backwards.
 */
export interface TextPatch {
  readonly offset: number
  readonly remove: string
  readonly insert: string
}

/**
 * A container of a settings file that was made by us, or that was empty when we came: enough to give the place back
 * when the last entry of ours leaves, whichever capability that is (security page, "Settings files").
 */
export interface ContainerRecord {
  /** JSON pointer: `` for the root, `/hooks`, `/hooks/PreToolUse`. */
  readonly pointer: string
  /** True when the member itself is ours and goes when it is empty. */
  readonly made: boolean
  /** The text between its brackets (of a root that we made: the whole text) before we came. */
  readonly gap: string
}

/** What `hosts.json` keeps for one file of a host. */
export interface HostFileRecord {
  readonly surface: SurfaceKind
  readonly runtime: string
  /** We made the file; it goes when nothing but ours was ever in it. */
  readonly madeFile: boolean
  /** Folders we made for it, outermost first; they go when empty. */
  readonly madeFolders: readonly string[]
  readonly containers: readonly ContainerRecord[]
  /** Capability id → what it has in this file. */
  readonly entries: Readonly<Record<string, readonly HostEntry[]>>
}

/**
 * One change of one host file, as an intention. `patches` give the exact change while the text is still the one that was
 * read; when the user typed meanwhile, `add` and `remove` are spliced anew into the text as it is then.
 */
export interface HostEdit {
  /** Real path: links are already followed. */
  readonly file: string
  readonly surface: SurfaceKind
  /** Capability whose entries come or go. */
  readonly id: string
  readonly add: readonly HostEntry[]
  readonly remove: readonly HostEntry[]
  /** Hex sha512 of the bytes before and after; null: the file is absent. */
  readonly hashBefore: string | null
  readonly hashAfter: string | null
  /** Mode of a file that the edit makes, less the umask; absent: 0666. */
  readonly mode?: number
  readonly patches: readonly TextPatch[]
  readonly recordBefore: HostFileRecord | null
  readonly recordAfter: HostFileRecord | null
}
