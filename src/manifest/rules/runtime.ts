import type { RuleTable } from './rule.ts'

/** Rules 27–34. */
export const RUNTIME_RULES = {
  MANIFEST_FEATURE_ONLY_FIELD: {
    rule: 27,
    requirement: 'absent outside features',
    message: ({ subject, detail }) => `${subject} is allowed only with the role "feature", not with "${detail}"`,
    hint: 'remove it, or move it to a separate feature',
  },
  MANIFEST_RUNTIME: {
    rule: 27,
    requirement: 'an object that describes the host runtime',
    example: '{ "configHome": { "kind": "dot-home", "name": ".my-agent", "env": [], "probe": [] }, … }',
    hint: 'describe it: "gsd capability init <id> --role runtime" writes a complete example',
  },
  MANIFEST_CONFIG_HOME: {
    rule: 28,
    requirement: 'an object with kind, name and env',
    example: '{ "kind": "dot-home", "name": ".my-agent", "env": [] }',
  },
  MANIFEST_CONFIG_HOME_KIND: {
    rule: 28,
    requirement: '"dot-home", "dot-home-nested", "xdg", "generic-agents-root" or "none"',
    example: '"dot-home"',
  },
  MANIFEST_CONFIG_HOME_NAME: {
    rule: 28,
    requirement: 'the name of the folder: a relative path without ".." (omitted only for the kind "none")',
    example: '".my-agent"',
  },
  MANIFEST_CONFIG_HOME_PARENT: {
    rule: 28,
    requirement: 'the folder of the home that contains a dot-home-nested one: a relative path without ".."',
    example: '".config-of-vendor"',
  },
  MANIFEST_CONFIG_HOME_ENV: {
    rule: 28,
    requirement: 'an array of names of environment variables; [] when none overrides the folder',
    example: '[]',
    hint: 'list names such as ["MY_AGENT_HOME"], or write []',
  },
  MANIFEST_CONFIG_HOME_ENV_NAME: {
    rule: 28,
    requirement: 'the name of an environment variable: letters, digits and _, not starting with a digit',
    example: '"MY_AGENT_HOME"',
  },
  MANIFEST_CONFIG_HOME_PROBE: { rule: 28, requirement: 'an array of folders to check', example: '["~/.my-agent"]' },
  MANIFEST_CONFIG_HOME_PROBE_DIR: {
    rule: 28,
    requirement: 'a folder below the home: a relative path, or one that starts with ~/, without ".."',
    example: '"~/.my-agent"',
  },
  MANIFEST_CONFIG_HOME_PROBE_EXISTS: {
    rule: 28,
    requirement: 'a relative path inside the folder, without ".."',
    example: '"config.toml"',
  },
  MANIFEST_LOCAL_CONFIG_DIR: {
    rule: 29,
    requirement: 'one path segment that starts with a dot (omitted only when configHome.kind is "none")',
    example: '".my-agent"',
  },
  MANIFEST_CONFIG_FORMAT: {
    rule: 30,
    requirement: '"settings-json", "toml", "markdown", "markdown-dir" or "none"',
    example: '"settings-json"',
  },
  MANIFEST_COMMAND_STYLE: { rule: 30, requirement: '"slash-hyphen" or "shell-var"', example: '"slash-hyphen"' },
  MANIFEST_HOOKS_SURFACE: {
    rule: 30,
    requirement:
      '"settings-json", "codex-hooks-json", "cursor-hooks-json", "copilot-inline", "cline-rules", "kimi-hooks-toml", "windsurf-hooks-json" or "none"',
    example: '"settings-json"',
  },
  MANIFEST_SANDBOX_TIER: { rule: 30, requirement: '"none" or "codex-agent-sandbox"', example: '"none"' },
  MANIFEST_INSTALL_SURFACE: {
    rule: 30,
    requirement:
      '"settings-json", "codex-toml", "copilot-instructions", "cline-rules", "cursor-hooks-json", "profile-marker-only" or "none"',
    example: '"settings-json"',
  },
  MANIFEST_PERMISSION_WRITER: {
    rule: 30,
    requirement: 'null, "opencode", "kilo" or "antigravity"',
    example: 'null',
  },
  MANIFEST_HOOK_EVENTS: {
    rule: 30,
    requirement: '"claude" or "gemini"',
    example: '"claude"',
    hint: 'write "claude" or "gemini", or omit it',
  },
  MANIFEST_EXTENDED_HOOK_EVENTS: {
    rule: 30,
    requirement: 'an array of extended hook events; [] when it has none',
    example: '["SubagentStop", "Stop"]',
  },
  MANIFEST_EXTENDED_HOOK_EVENT: {
    rule: 30,
    requirement:
      '"SubagentStop", "Stop", "PreCompact", "FileChanged", "SubagentStart", "BeforeAgent", "AfterAgent" or "BeforeModel"',
    example: '"Stop"',
  },
  MANIFEST_LAYOUT: {
    rule: 31,
    requirement: 'an object with the arrays global and local',
    example: '{ "global": [], "local": [] }',
  },
  MANIFEST_LAYOUT_LIST: {
    rule: 31,
    requirement: 'an array of artefact kinds; [] when none is written',
    example: '[]',
  },
  MANIFEST_LAYOUT_ITEM: {
    rule: 31,
    requirement: 'an object with kind, destSubpath, prefix and nesting',
    example: '{ "kind": "skills", "destSubpath": "skills", "prefix": "gsd-", "nesting": "flat" }',
  },
  MANIFEST_LAYOUT_KIND: {
    rule: 31,
    requirement: '"commands", "agents", "skills" or "kimi-agents"',
    example: '"skills"',
  },
  MANIFEST_LAYOUT_PATH: { rule: 31, requirement: 'a relative path without ".."', example: '"skills"' },
  MANIFEST_LAYOUT_PREFIX: {
    rule: 31,
    requirement: 'letters, digits, . _ and - (or empty) that file names start with',
    example: '"gsd-"',
  },
  MANIFEST_LAYOUT_NESTING: { rule: 31, requirement: '"flat" or "nested"', example: '"flat"' },
  MANIFEST_LAYOUT_RECURSIVE: { rule: 31, requirement: 'true or false', example: 'false' },
  MANIFEST_LAYOUT_CONVERTER: {
    rule: 31,
    requirement: 'the name of a converter: letters and digits',
    example: '"convertClaudeCommandToClaudeSkill"',
    hint: 'name a converter, or omit it',
  },
  MANIFEST_SUPPORT_TIER: { rule: 32, requirement: '1 or 2', example: '2' },
  MANIFEST_WRITES_SHARED_SETTINGS: { rule: 32, requirement: 'true or false', example: 'false' },
  MANIFEST_SURFACES_DISAGREE: {
    rule: 33,
    requirement: 'a surface that fits the install surface',
    message: ({ found, detail }) => `runtime.hooksSurface ${found} is not allowed with ${detail}`,
    hint: ({ detail }) => detail.slice(detail.indexOf(';') + 2),
  },
  MANIFEST_HOOK_EVENTS_FAMILY: {
    rule: 33,
    requirement: 'events of the family that hookEvents names',
    message: ({ subject, found, detail }) => `${subject} is ${found}, an event that needs "hookEvents": "${detail}"`,
    hint: ({ detail }) => `set "hookEvents": "${detail}", or remove the event`,
  },
} as const satisfies RuleTable
