import type { ScopeName } from '../../diagnostic.ts'
import type { SurfaceKind } from '../../state/host-edit.ts'
import type { ToolNames } from '../artifacts/tool-names.ts'

/** Where a host keeps its configuration; each kind is resolved in its own way (hosts page, "Finding the home"). */
export type ConfigHome =
  | { readonly kind: 'dot-home'; readonly name: string; readonly env: readonly string[] }
  | {
      readonly kind: 'dot-home-nested'
      readonly name: string
      readonly parent: string
      readonly env: readonly string[]
      /** Folder names below the parent. */
      readonly probe?: readonly string[]
      readonly probeExists?: string
    }
  /** `env`: a folder, a FILE whose folder counts, the folder to which the name is appended. */
  | { readonly kind: 'xdg'; readonly name: string; readonly env: readonly string[] }
  | {
      readonly kind: 'generic-agents-root'
      readonly env: readonly string[]
      /** Paths, `~` allowed. */
      readonly probe: readonly string[]
      readonly probeExists: string
    }
  | { readonly kind: 'none' }

/** How a host writes a time limit. */
export interface TimeoutRule {
  readonly unit: 'seconds' | 'milliseconds'
  /** A fraction makes the host refuse it, or may. */
  readonly wholeNumber: boolean
  readonly min?: number
  readonly max?: number
}

/** Where a host reads MCP servers from, and how it writes one. */
export interface McpConfig {
  readonly surface: 'settings-json' | 'mcp-servers-json' | 'mcp-servers-toml' | 'opencode-mcp-json'
  /** `<mcp-home>` in a template, where that is not the configuration home. */
  readonly home?: ConfigHome
  readonly files: { readonly global: string | null; readonly project: string | null }
  readonly form: 'claude' | 'cursor' | 'codex' | 'trae' | 'copilot' | 'gemini' | 'opencode' | 'kimi-code' | 'cline'
  /** The host starts a server in the folder its `cwd` names. */
  readonly cwd?: true
  readonly variables: ServerVariables
}

/** How a variable of the user's environment reaches an MCP server of a host. */
export interface ServerVariables {
  /** How the host writes one; `NAME` is its name. Null: it replaces none. */
  readonly form: string | null
  /** The members in which it replaces them. */
  readonly members: readonly ('args' | 'env' | 'headers' | 'url')[]
  /** It knows `${NAME:-default}`. */
  readonly defaults?: true
  /** A server gets the environment of the host; `by-name` only the variables that are listed for it. */
  readonly inherits: 'all' | 'by-name' | 'none'
}

/** Another host whose hook files a host reads. */
export interface AlsoRead {
  readonly host: string
  readonly scopes: readonly ScopeName[]
}

/** Things in a settings text that a host may refuse to read. */
export type RejectedSyntax = 'comment' | 'trailing-comma' | 'bom'

/** A member of a host's settings that switches all hooks off. */
export interface HooksOff {
  /** Templates of paths, of JSON or `.toml` files. */
  readonly files: readonly string[]
  readonly member: readonly string[]
  readonly value: boolean
}

/**
 * Everything the program knows of one host runtime. All of it is data: a fact that turns out wrong is one line.
 * Templates of paths: `<home>` the configuration home, `<hooks-home>` where that differs, `~` the user's home, `<project>` the project,
 * `<id>` the capability, `<event>` the host's event.
 */
export interface HostRuntime {
  readonly id: string
  readonly title: string
  readonly configHome: ConfigHome
  /** Home of the file with the hooks, where it is not the configuration home. */
  readonly hooksHome?: ConfigHome
  /** Folder of this host in a project; null: it has none. */
  readonly localDir: string | null
  readonly surface: SurfaceKind
  /** Why nothing is wired, for the surface `none`. */
  readonly noSurfaceReason?: string
  readonly files: { readonly global: string | null; readonly project: string | null }
  /** More files in which the host reads hooks of this form; an entry may have been moved there. */
  readonly moreFiles?: readonly string[]
  /** Left out: no place for MCP servers is known for sure. */
  readonly mcp?: McpConfig
  /** The host's own event names. */
  readonly events: readonly string[]
  /** Event of the Claude dialect → the host's, several where the host splits it. A name not here must be one of `events`. */
  readonly claudeEvents: Readonly<Record<string, string | readonly string[]>>
  /** Null: the host has no time limit to set. */
  readonly timeout: TimeoutRule | null
  /** Regular expressions of the matcher; null: the host has no matcher, so a hook with one cannot be wired. */
  readonly matcher: 'javascript' | 'rust' | null
  /** The host's names of Claude Code's tools in matchers, where they differ. */
  readonly toolNames?: ToolNames
  /** Ends of the names of events, by tool, for a host that has an event for each kind of tool instead of matchers. */
  readonly eventsByTool?: ToolNames
  /** `path`: the host takes the path of a script, not a command line. */
  readonly commandForm: 'shell' | 'path'
  /** What makes the host refuse the file. */
  readonly rejectedSyntax: readonly RejectedSyntax[]
  /** The only members of the root that the host takes; with another one it refuses the file. Left out: it takes any. */
  readonly rootMembers?: readonly string[]
  /** The host identifies approved hooks by position: after one is removed it asks again about those after it. */
  readonly approvesByPosition?: true
  /** Hosts whose hook files this one reads too, and in which scopes. */
  readonly alsoReads: readonly AlsoRead[]
  /** What switches all hooks of the host off. */
  readonly hooksOff?: readonly HooksOff[]
  /** What the user has to do before the host runs new hooks, as a sentence without its period. */
  readonly trustFirst?: { readonly global?: string; readonly project?: string }
  /** How sure the facts are: their source, and the version that was tested. */
  readonly confidence: { readonly evidence: string; readonly observed: string | null }
}
