import type { RuntimeManifest } from '../../manifest/manifest.ts'
import { claude } from './claude.ts'
import { toConfigHome } from './runtime-paths.ts'
import type { HostRuntime } from './runtime.ts'
import { RUNTIMES } from './table.ts'

/**
 * What can be known of a host from its descriptor alone, so that a runtime this program has never heard of is wired by
 * data. Its surface gives the form and the place of the file, `hookEvents` and `extendedHookEvents` the events.
 */
export const deriveRuntime = ({ id, title, runtime }: RuntimeManifest): HostRuntime => {
  const surface = runtime.hooksSurface
  const like = RUNTIMES.find((row) => row.surface === surface) ?? claude
  const family = runtime.hookEvents == null ? null : EVENT_FAMILIES[runtime.hookEvents]
  const local = runtime.localConfigDir ?? null
  const files = fileTemplatesFor(surface, local, runtime.hostBehaviors)
  return {
    id,
    title,
    configHome: toConfigHome(runtime.configHome),
    localDir: local,
    surface,
    ...(surface === 'none' ? { noSurfaceReason: `${title} has no hooks that this program writes` } : {}),
    files: runtime.configHome.kind === 'none' ? { ...files, global: null } : files,
    events: [...(family?.events ?? like.events), ...(runtime.extendedHookEvents ?? [])],
    claudeEvents: family?.claudeEvents ?? like.claudeEvents,
    timeout: family?.timeout ?? like.timeout,
    matcher: like.matcher,
    commandForm: 'shell',
    rejectedSyntax: [],
    alsoReads: [],
    confidence: { evidence: 'its own descriptor', observed: null },
  }
}

const EVENT_FAMILIES = {
  claude: {
    events: ['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Notification'],
    claudeEvents: {},
    timeout: { unit: 'seconds', wholeNumber: true, min: 1 },
  },
  gemini: {
    events: ['SessionStart', 'SessionEnd', 'BeforeTool', 'AfterTool', 'Notification', 'PreCompress'],
    claudeEvents: {
      PreToolUse: 'BeforeTool',
      PostToolUse: 'AfterTool',
      UserPromptSubmit: 'BeforeAgent',
      Stop: 'AfterAgent',
      PreCompact: 'PreCompress',
    },
    timeout: { unit: 'milliseconds', wholeNumber: true, min: 1 },
  },
} as const satisfies Record<string, Pick<HostRuntime, 'events' | 'claudeEvents' | 'timeout'>>

/** Names of files by surface: below the configuration home, and below the host's folder in a project. */
const FILE_NAMES: Readonly<
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

const fileTemplatesFor = (
  surface: HostRuntime['surface'],
  local: string | null,
  behaviors: unknown,
): HostRuntime['files'] => {
  const names = FILE_NAMES[surface]
  if (names === null) return { global: null, project: null }
  const byScope = ownMember(behaviors, 'settingsFileByScope')
  const own = (scope: 'global' | 'local', usual: string): string => {
    const name = surface === 'settings-json' ? ownMember(byScope, scope) : undefined
    return typeof name === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : usual
  }
  return {
    global: `<home>/${own('global', names.global)}`,
    project: local === null || names.project === null ? null : `<project>/${local}/${own('local', names.project)}`,
  }
}

const ownMember = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
