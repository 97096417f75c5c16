import type { RuntimeManifest } from '../manifest/manifest.ts'
import { configHomeOf } from './runtime-paths.ts'
import { claude } from './runtimes/claude.ts'
import type { HostRuntime } from './runtimes/runtime.ts'
import { RUNTIMES } from './runtimes/table.ts'

/**
 * What can be known of a host from its descriptor alone, so that a runtime this program has never heard of is wired by
 * data. Its surface gives the form and the place of the file, `hookEvents` and `extendedHookEvents` the events.
 */
export const deriveRuntime = ({ id, title, runtime }: RuntimeManifest): HostRuntime => {
  const surface = runtime.hooksSurface
  const like = RUNTIMES.find((row) => row.surface === surface) ?? claude
  const family = runtime.hookEvents == null ? null : FAMILIES[runtime.hookEvents]
  const local = runtime.localConfigDir ?? null
  const files = filesOf(surface, local, runtime.hostBehaviors)
  return {
    id,
    title,
    configHome: configHomeOf(runtime.configHome),
    localDir: local,
    surface,
    ...(surface === 'none' ? { noSurface: `${title} has no hooks that this program writes` } : {}),
    files: runtime.configHome.kind === 'none' ? { ...files, global: null } : files,
    events: [...(family?.events ?? like.events), ...(runtime.extendedHookEvents ?? [])],
    fromClaude: family?.fromClaude ?? like.fromClaude,
    timeout: family?.timeout ?? like.timeout,
    matcher: like.matcher,
    command: 'shell',
    refuses: [],
    alsoReads: [],
    sure: { evidence: 'its own descriptor', observed: null },
  }
}

const FAMILIES = {
  claude: {
    events: ['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Notification'],
    fromClaude: {},
    timeout: { unit: 'seconds', whole: true, least: 1 },
  },
  gemini: {
    events: ['SessionStart', 'SessionEnd', 'BeforeTool', 'AfterTool', 'Notification', 'PreCompress'],
    fromClaude: {
      PreToolUse: 'BeforeTool',
      PostToolUse: 'AfterTool',
      UserPromptSubmit: 'BeforeAgent',
      Stop: 'AfterAgent',
      PreCompact: 'PreCompress',
    },
    timeout: { unit: 'milliseconds', whole: true, least: 1 },
  },
} as const satisfies Record<string, Pick<HostRuntime, 'events' | 'fromClaude' | 'timeout'>>

/** Names of files by surface: below the configuration home, and below the host's folder in a project. */
const NAMES: Readonly<
  Record<HostRuntime['surface'], { readonly global: string; readonly project: string | null } | null>
> = {
  'settings-json': { global: 'settings.json', project: 'settings.json' },
  'codex-hooks-json': { global: 'hooks.json', project: 'hooks.json' },
  'cursor-hooks-json': { global: 'hooks.json', project: 'hooks.json' },
  'windsurf-hooks-json': { global: 'hooks.json', project: 'hooks.json' },
  'copilot-inline': { global: 'hooks/gsd-<id>.json', project: 'hooks/gsd-<id>.json' },
  'cline-rules': { global: 'hooks/<event>', project: 'hooks/<event>' },
  'kimi-hooks-toml': { global: 'config.toml', project: null },
  'mcp-servers-json': null,
  'mcp-servers-toml': null,
  'placed-file': null,
  none: null,
}

const filesOf = (surface: HostRuntime['surface'], local: string | null, behaviors: unknown): HostRuntime['files'] => {
  const names = NAMES[surface]
  if (names === null) return { global: null, project: null }
  const byScope = memberOf(behaviors, 'settingsFileByScope')
  const own = (scope: 'global' | 'local', usual: string): string => {
    const name = surface === 'settings-json' ? memberOf(byScope, scope) : undefined
    return typeof name === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : usual
  }
  return {
    global: `<home>/${own('global', names.global)}`,
    project: local === null || names.project === null ? null : `<project>/${local}/${own('local', names.project)}`,
  }
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
