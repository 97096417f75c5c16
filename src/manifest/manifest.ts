/** Name of the manifest in a bundle. */
export const MANIFEST_FILE = 'capability.json'
/** Size limit of a manifest (page, "Reading"). */
export const MAX_MANIFEST_BYTES = 1024 * 1024

/** A `capability.json` that passed all its own rules. Rule numbers are those of the manifest page. */
export type Manifest = FeatureManifest | RuntimeManifest | ReviewerManifest
export type Role = 'feature' | 'runtime' | 'reviewer'
export type Tier = 'core' | 'standard' | 'full'

/** Rules 1–12. */
export interface Envelope {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly tier: Tier
  readonly requires: readonly string[]
  readonly engines?: { readonly gsd?: string }
  readonly compatVersions?: Readonly<Record<string, string>>
  readonly integrity?: string
  readonly provenance?: { readonly sourceRepo: string; readonly commit: string }
  readonly author?: { readonly name: string; readonly email?: string; readonly url?: string }
  readonly homepage?: string
  readonly repository?: string
  readonly license?: string
  readonly keywords?: readonly string[]
}

/** Rules 13–26. */
export interface FeatureManifest extends Envelope {
  readonly role: 'feature'
  readonly runtimeCompat: RuntimeCompat
  readonly skills: readonly string[]
  readonly agents: readonly string[]
  readonly hooks?: readonly Hook[]
  readonly config: Readonly<Record<string, ConfigEntry>>
  readonly steps: readonly Step[]
  readonly contributions: readonly Contribution[]
  readonly gates: readonly Gate[]
  readonly activationKey?: string
  readonly commands?: readonly CommandFamily[]
  readonly mcpServers?: Readonly<Record<string, McpServer>>
}

export interface RuntimeCompat {
  readonly supported: readonly string[]
  readonly unsupported: readonly string[]
  readonly notes?: Readonly<Record<string, string>>
}

/** Rule 15. `timeout` in seconds. */
export interface Hook {
  readonly event: string
  readonly script: string
  readonly matcher?: string
  readonly timeout?: number
}

/** Rule 16. */
export type ConfigEntry =
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string }
  | { readonly type: 'string'; readonly default: string; readonly description: string }
  | { readonly type: 'number'; readonly default: number; readonly description: string }
  | {
      readonly type: 'enum'
      readonly default: string
      readonly values: readonly string[]
      readonly description: string
    }

export type OnError = 'skip' | 'halt'
export type Fragment = { readonly path: string } | { readonly inline: string }

/** Rule 18. */
export interface Step {
  readonly point: string
  readonly ref: { readonly skill: string } | { readonly agent: string } | { readonly command: string }
  readonly produces: readonly string[]
  readonly consumes: readonly string[]
  readonly onError: OnError
  readonly when?: string
  readonly fragment?: Fragment
  /** An enum key: the step is active only while it holds this point. */
  readonly pointFrom?: string
  readonly supportsReviewerLanes?: boolean
}

/** Rule 19. */
export interface Contribution {
  readonly point: string
  readonly into: string
  readonly produces: readonly string[]
  readonly consumes: readonly string[]
  readonly fragment: Fragment
  readonly when?: string
  readonly onError?: OnError
  readonly configValues?: Readonly<Record<string, string>>
}

/** Rule 20. */
export interface Gate {
  readonly point: string
  readonly check: GateCheck
  readonly blocking: boolean
  readonly onError: OnError
  readonly when?: string
}

export type GateCheck =
  | { readonly query: string }
  | { readonly predicate: Predicate }
  | { readonly agentVerdict: Readonly<Record<string, unknown>> }

/** `timeout` in seconds. */
export type Predicate =
  | { readonly kind: 'artifact-exists'; readonly artifact: string }
  | { readonly kind: 'config-equals'; readonly key: string; readonly equals: unknown }
  | {
      readonly kind: 'artifact-frontmatter-equals'
      readonly artifact: string
      readonly field: string
      readonly equals: unknown
    }
  | { readonly kind: 'command-exit-zero'; readonly command: string; readonly timeout?: number }

/** Rule 24. */
export interface CommandFamily {
  readonly family: string
  readonly module: string
  readonly router: string
  readonly subcommands?: readonly string[]
}

/** Rule 25. */
export type McpServer =
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers?: Readonly<Record<string, string>> }

/** Rules 27–34. */
export interface RuntimeManifest extends Envelope {
  readonly role: 'runtime'
  readonly runtime: RuntimeBody
  readonly reviewer?: Reviewer
  readonly config?: Readonly<Record<string, ConfigEntry>>
  readonly commands?: readonly CommandFamily[]
  readonly runtimeCompat?: RuntimeCompat
}

/** The layout of a host. Null means the same as an absent member. */
export interface RuntimeBody {
  readonly configHome: HomeDescriptor
  /** Absent only when `configHome.kind` is none. */
  readonly localConfigDir?: string | null
  readonly configFormat: 'settings-json' | 'toml' | 'markdown' | 'markdown-dir' | 'none'
  readonly artifactLayout: { readonly global: readonly LayoutItem[]; readonly local: readonly LayoutItem[] }
  readonly commandStyle: 'slash-hyphen' | 'shell-var'
  readonly hooksSurface:
    | 'settings-json'
    | 'codex-hooks-json'
    | 'cursor-hooks-json'
    | 'copilot-inline'
    | 'cline-rules'
    | 'kimi-hooks-toml'
    | 'windsurf-hooks-json'
    | 'none'
  readonly hookEvents?: 'claude' | 'gemini' | null
  readonly extendedHookEvents?: readonly string[] | null
  readonly sandboxTier: 'none' | 'codex-agent-sandbox'
  readonly supportTier: 1 | 2
  readonly installSurface:
    | 'settings-json'
    | 'codex-toml'
    | 'copilot-instructions'
    | 'cline-rules'
    | 'cursor-hooks-json'
    | 'profile-marker-only'
    | 'none'
  readonly writesSharedSettings: boolean
  readonly permissionWriter?: 'opencode' | 'kilo' | 'antigravity' | null
  readonly hostBehaviors?: unknown
  readonly hostIntegration?: unknown
  readonly harnessIsolationFlag?: unknown
  readonly orchestratorExec?: unknown
  readonly extensionEvents?: unknown
}

/** Rule 28. `name` is absent only for the kind none, `parent` present for dot-home-nested. */
export interface HomeDescriptor {
  readonly kind: 'dot-home' | 'dot-home-nested' | 'xdg' | 'generic-agents-root' | 'none'
  readonly name?: string | null
  readonly parent?: string | null
  readonly env?: readonly string[]
  /** Below the home, or relative to the parent. */
  readonly probe?: readonly string[] | null
  readonly probeExists?: string | null
  readonly skillsHome?: HomeDescriptor | null
}

/** Rule 31. Paths are relative; `home` may start with `~/`. */
export interface LayoutItem {
  readonly kind: 'commands' | 'agents' | 'skills' | 'kimi-agents'
  readonly destSubpath: string
  readonly prefix: string
  readonly nesting: 'flat' | 'nested'
  readonly recursive?: boolean | null
  readonly converter?: string | null
  readonly home?: string | null
  readonly stage?: unknown
}

/** Rules 35–42. */
export interface ReviewerManifest extends Envelope {
  readonly role: 'reviewer'
  readonly reviewer: Reviewer
  readonly config?: Readonly<Record<string, ConfigEntry>>
  readonly runtimeCompat?: RuntimeCompat
}

/** Rules 36–40. `probe` and `invoke` have the forms of rules 37 and 39. */
export interface Reviewer {
  readonly slug: string
  readonly flags: readonly string[]
  readonly transport: 'spawn' | 'openai-http'
  readonly probe: Readonly<Record<string, unknown>>
  readonly invoke: Readonly<Record<string, unknown>>
  readonly timeoutFloorMs: number
  readonly emptyOutput: 'stub-with-stderr' | 'handler-owned'
  readonly reviewsSection: string
  readonly evidenceClass: 'source-grounded' | 'diff-only'
  readonly requiresBinaries: readonly string[]
  readonly promptBudgetKey: string | null
  readonly modelConfigKey?: string | null
  /** Key of a number of seconds that replaces `timeoutFloorMs`. */
  readonly timeoutConfigKey?: string | null
  readonly effortConfigKey?: string | null
  readonly defaultEffort?: string | null
  /** A loaded lane can name a handler that this version does not have; it is then unavailable (rule 40). */
  readonly handler: string | null
}
