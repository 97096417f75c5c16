import { CONFINED_PATH, DOT_DIR, ENV_NAME, HOME_PATH, IDENTIFIER } from '../grammar.ts'
import { unconstrained, choice, flag, leaf, nameText, orNull, text } from '../shapes/leaf-shapes.ts'
import { list, object, optional, required, type Members } from '../shapes/object-shapes.ts'
import { variants } from '../shapes/variant-shapes.ts'

/** In a runtime body null means the same as an absent member: programs often write descriptors. */
const optionalOrNull = (shape: Parameters<typeof orNull>[0]) => optional(orNull(shape))

const env = list('MANIFEST_CONFIG_HOME_ENV', text('MANIFEST_CONFIG_HOME_ENV_NAME', { pattern: ENV_NAME }))
const probes = {
  probe: optionalOrNull(
    list('MANIFEST_CONFIG_HOME_PROBE', text('MANIFEST_CONFIG_HOME_PROBE_DIR', { pattern: HOME_PATH })),
  ),
  probeExists: optionalOrNull(text('MANIFEST_CONFIG_HOME_PROBE_EXISTS', { pattern: CONFINED_PATH })),
} as const satisfies Members

const name = text('MANIFEST_CONFIG_HOME_NAME', { pattern: CONFINED_PATH })
const parent = text('MANIFEST_CONFIG_HOME_PARENT', { pattern: CONFINED_PATH })

const homeKinds = (more: Members) => {
  const plain = { name: required(name), env: required(env), parent: optionalOrNull(parent), ...probes, ...more }
  return {
    'dot-home': plain,
    'dot-home-nested': { ...plain, parent: required(parent) },
    xdg: plain,
    'generic-agents-root': plain,
    none: { ...plain, name: optionalOrNull(name), env: optional(env) },
  }
}

const home = (more: Members) =>
  variants('MANIFEST_CONFIG_HOME', {
    discriminant: 'kind',
    discriminantCode: 'MANIFEST_CONFIG_HOME_KIND',
    kinds: homeKinds(more),
  })

/** Rule 28. */
const configHome = home({ skillsHome: optionalOrNull(home({})) })

/** Rule 31. */
const layoutItem = object('MANIFEST_LAYOUT_ITEM', {
  kind: required(choice('MANIFEST_LAYOUT_KIND', ['commands', 'agents', 'skills', 'kimi-agents'])),
  destSubpath: required(text('MANIFEST_LAYOUT_PATH', { pattern: CONFINED_PATH })),
  prefix: required(text('MANIFEST_LAYOUT_PREFIX', { pattern: /^[A-Za-z0-9._-]*$/ })),
  nesting: required(choice('MANIFEST_LAYOUT_NESTING', ['flat', 'nested'])),
  recursive: optionalOrNull(flag('MANIFEST_LAYOUT_RECURSIVE')),
  converter: optionalOrNull(nameText('MANIFEST_LAYOUT_CONVERTER', { pattern: IDENTIFIER })),
  home: optionalOrNull(text('MANIFEST_LAYOUT_PATH', { pattern: HOME_PATH })),
  stage: optional(
    leaf(
      'MANIFEST_LAYOUT_PATH',
      (value) => typeof value !== 'string' || CONFINED_PATH.test(value),
      () => ({ description: 'any value; a text must be a relative path without ".."' }),
    ),
  ),
})
const layoutList = list('MANIFEST_LAYOUT_LIST', layoutItem)

/** Rule 33: hook event → family. */
export const HOOK_EVENT_FAMILIES = {
  SubagentStop: 'claude',
  Stop: 'claude',
  PreCompact: 'claude',
  FileChanged: 'claude',
  SubagentStart: 'claude',
  BeforeAgent: 'gemini',
  AfterAgent: 'gemini',
  BeforeModel: 'gemini',
} as const

/** Rule 33: install surface → hook surfaces that fit it. */
export const COMPATIBLE_SURFACES = {
  'settings-json': ['settings-json', 'none'],
  'codex-toml': ['codex-hooks-json'],
  'copilot-instructions': ['copilot-inline'],
  'cline-rules': ['cline-rules'],
  'cursor-hooks-json': ['cursor-hooks-json'],
  'profile-marker-only': ['none', 'kimi-hooks-toml', 'windsurf-hooks-json'],
  none: ['none'],
} as const

/** Rule 30. */
const HOOK_SURFACES = [
  'settings-json',
  'codex-hooks-json',
  'cursor-hooks-json',
  'copilot-inline',
  'cline-rules',
  'kimi-hooks-toml',
  'windsurf-hooks-json',
  'none',
] as const

/** Rules 28–32 and 34. */
export const RUNTIME_BODY = object('MANIFEST_RUNTIME', {
  configHome: required(configHome),
  localConfigDir: optionalOrNull(text('MANIFEST_LOCAL_CONFIG_DIR', { pattern: DOT_DIR })),
  configFormat: required(
    choice('MANIFEST_CONFIG_FORMAT', ['settings-json', 'toml', 'markdown', 'markdown-dir', 'none']),
  ),
  artifactLayout: required(object('MANIFEST_LAYOUT', { global: required(layoutList), local: required(layoutList) })),
  commandStyle: required(choice('MANIFEST_COMMAND_STYLE', ['slash-hyphen', 'shell-var'])),
  hooksSurface: required(choice('MANIFEST_HOOKS_SURFACE', HOOK_SURFACES)),
  hookEvents: optional(choice('MANIFEST_HOOK_EVENTS', ['claude', 'gemini', null])),
  extendedHookEvents: optionalOrNull(
    list('MANIFEST_EXTENDED_HOOK_EVENTS', choice('MANIFEST_EXTENDED_HOOK_EVENT', Object.keys(HOOK_EVENT_FAMILIES))),
  ),
  sandboxTier: required(choice('MANIFEST_SANDBOX_TIER', ['none', 'codex-agent-sandbox'])),
  supportTier: required(choice('MANIFEST_SUPPORT_TIER', [1, 2])),
  installSurface: required(choice('MANIFEST_INSTALL_SURFACE', Object.keys(COMPATIBLE_SURFACES))),
  writesSharedSettings: required(flag('MANIFEST_WRITES_SHARED_SETTINGS')),
  permissionWriter: optional(choice('MANIFEST_PERMISSION_WRITER', [null, 'opencode', 'kilo', 'antigravity'])),
  hostBehaviors: optional(unconstrained('MANIFEST_RUNTIME', 'settings of the host; any value')),
  hostIntegration: optional(unconstrained('MANIFEST_RUNTIME', 'how the host is integrated; any value')),
  harnessIsolationFlag: optional(unconstrained('MANIFEST_RUNTIME', 'any value')),
  orchestratorExec: optional(unconstrained('MANIFEST_RUNTIME', 'any value')),
  extensionEvents: optional(unconstrained('MANIFEST_RUNTIME', 'any value')),
  triggerPrecedence: optional(unconstrained('MANIFEST_RUNTIME', 'any value')),
  settingsFileByScope: optional(unconstrained('MANIFEST_RUNTIME', 'any value')),
})
