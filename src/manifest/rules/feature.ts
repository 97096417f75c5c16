import type { RuleTable } from './rule.ts'

const PATH =
  'a relative path inside the bundle, made of letters, digits and . _ / -, without "..", and no part starting with "-"'
const STEM = 'a stem of lower-case letters, digits, _ and -, starting with a letter or digit'

/** Rules 13–16 and 26. */
export const FEATURE_RULES = {
  MANIFEST_RUNTIME_COMPAT: {
    rule: 13,
    requirement: 'an object with the arrays supported and unsupported',
    example: '{ "supported": ["*"], "unsupported": [] }',
  },
  MANIFEST_RUNTIME_COMPAT_SUPPORTED: {
    rule: 13,
    requirement: 'a non-empty array of runtime ids, or exactly ["*"]',
    example: '["*"]',
    hint: 'list runtime ids such as ["claude", "codex"], or write ["*"] for all',
  },
  MANIFEST_RUNTIME_COMPAT_ID: { rule: 13, requirement: 'the id of a runtime', example: '"claude"' },
  MANIFEST_RUNTIME_COMPAT_WILDCARD: {
    rule: 13,
    requirement: 'either "*" alone or runtime ids',
    message: ({ subject }) => `${subject} must not contain "*" with other entries`,
    hint: 'write ["*"] alone, or only runtime ids',
  },
  MANIFEST_RUNTIME_COMPAT_UNSUPPORTED: {
    rule: 13,
    requirement: 'an array of runtime ids, without "*"',
    example: '[]',
    hint: 'list runtime ids such as ["cline"], or write []',
  },
  MANIFEST_RUNTIME_COMPAT_BOTH: {
    rule: 13,
    requirement: 'in one of the two arrays only',
    message: ({ found }) => `runtimeCompat names ${found} as supported and as unsupported`,
    hint: 'keep it in one of the two',
  },
  MANIFEST_RUNTIME_COMPAT_NOTES: {
    rule: 13,
    requirement: 'an object from runtime ids, or "*", to non-empty texts',
    example: '{ "codex": "hooks need codex 0.40 or newer" }',
    hint: 'write for example { "codex": "hooks need codex 0.40 or newer" }, or omit it',
  },
  MANIFEST_RUNTIME_COMPAT_NOTE: {
    rule: 13,
    requirement: 'a non-empty text',
    example: '"hooks need codex 0.40 or newer"',
  },
  MANIFEST_RUNTIME_COMPAT_NOTES_KEY: {
    rule: 13,
    requirement: 'keys that are runtime ids or "*"',
    message: ({ found }) => `runtimeCompat.notes has the key ${found}, which is neither a runtime id nor "*"`,
    hint: 'use a runtime id such as "claude", or "*"',
  },
  MANIFEST_SKILLS: {
    rule: 14,
    requirement: 'an array of skill stems; [] when it has none',
    example: '[]',
    hint: 'list stems such as ["my-skill"], or write []',
  },
  MANIFEST_SKILL: { rule: 14, requirement: STEM, example: '"my-skill"' },
  MANIFEST_AGENTS: {
    rule: 14,
    requirement: 'an array of agent stems; [] when it has none',
    example: '[]',
    hint: 'list stems such as ["my-agent"], or write []',
  },
  MANIFEST_AGENT: { rule: 14, requirement: STEM, example: '"my-agent"' },
  MANIFEST_STEM_DUPLICATE: {
    rule: 14,
    requirement: 'without repeated stems',
    message: ({ subject, found }) => `${subject} repeats ${found}`,
    hint: 'keep one of them',
  },
  MANIFEST_SKILL_FILE: {
    rule: 14,
    isWarning: true,
    requirement: 'the stem of a file of the bundle: skills/<stem>/SKILL.md or skills/<stem>.md',
    message: ({ found, detail }) => `the skill ${found} has no file: ${detail} is not in the bundle`,
    hint: ({ detail }) => `add ${detail}, or remove the skill`,
  },
  MANIFEST_AGENT_FILE: {
    rule: 14,
    isWarning: true,
    requirement: 'the stem of a file of the bundle: agents/<stem>.md',
    message: ({ found, detail }) => `the agent ${found} has no file: ${detail} is not in the bundle`,
    hint: ({ detail }) => `add ${detail}, or remove the agent`,
  },
  MANIFEST_HOOKS: {
    rule: 15,
    requirement: 'an array of hooks',
    example: '[{ "event": "PreToolUse", "script": "hooks/check.sh" }]',
  },
  MANIFEST_HOOK: {
    rule: 15,
    requirement: 'an object with event and script',
    example: '{ "event": "PreToolUse", "script": "hooks/check.sh" }',
  },
  MANIFEST_HOOK_EVENT: {
    rule: 15,
    requirement: 'a hook event: letters, digits, _ : and -, starting with a letter',
    example: '"PreToolUse"',
  },
  MANIFEST_HOOK_SCRIPT: { rule: 15, requirement: PATH, example: '"hooks/check.sh"' },
  MANIFEST_HOOK_MATCHER: {
    rule: 15,
    requirement: 'a non-empty JavaScript regular expression',
    example: '"Edit|Write"',
    hint: 'write for example "Edit|Write", or omit matcher to match everything',
  },
  MANIFEST_HOOK_TIMEOUT: { rule: 15, requirement: 'a positive number of seconds', example: '30' },
  MANIFEST_HOOK_FILE: {
    rule: 15,
    requirement: 'a file of the bundle',
    message: ({ subject, found }) => `${subject} names ${found}, which is not a file of the bundle`,
    hint: ({ found }) => `add the file ${found}, or correct the path`,
  },
  MANIFEST_CONFIG: {
    rule: 16,
    requirement: 'an object from configuration keys to their entries; {} when it has none',
    example: '{}',
  },
  MANIFEST_CONFIG_KEY: {
    rule: 16,
    requirement: 'keys of segments joined by dots, each of lower-case letters, digits, _ and -',
    message: ({ found }) =>
      `config has the key ${found}, which is not segments of lower-case letters, digits, _ and - joined by dots`,
    hint: 'write a key such as "my-capability.enabled"',
  },
  MANIFEST_CONFIG_ENTRY: {
    rule: 16,
    requirement: 'an object with type, default and description',
    example: '{ "type": "boolean", "default": true, "description": "Turns it on." }',
  },
  MANIFEST_CONFIG_TYPE: { rule: 16, requirement: '"boolean", "string", "number" or "enum"', example: '"boolean"' },
  MANIFEST_CONFIG_DEFAULT: {
    rule: 16,
    requirement: 'a value of the declared type',
    message: ({ subject, found, detail }) => `${subject} must be ${detail}, not ${found}`,
    hint: 'change the default or the type, so that both agree',
  },
  MANIFEST_CONFIG_VALUES: {
    rule: 16,
    requirement: 'a non-empty array of different strings, one of them the default',
    example: '["low", "high"]',
    hint: 'list each allowed string once, such as ["low", "high"]',
  },
  MANIFEST_CONFIG_VALUE: { rule: 16, requirement: 'a string', example: '"low"' },
  MANIFEST_CONFIG_VALUE_DUPLICATE: {
    rule: 16,
    requirement: 'without repeated values',
    message: ({ subject, found }) => `${subject} repeats ${found}`,
    hint: 'keep one of them',
  },
  MANIFEST_CONFIG_VALUES_FOREIGN: {
    rule: 16,
    requirement: 'on entries of type enum only',
    message: ({ subject }) => `${subject} is allowed only with the type enum`,
    hint: 'remove it, or set "type": "enum"',
  },
  MANIFEST_CONFIG_DESCRIPTION: {
    rule: 16,
    requirement: 'a non-empty text',
    example: '"Turns the check on."',
  },
  MANIFEST_CONFIG_PREFIX: {
    rule: 16,
    requirement: 'not the parent of another key',
    message: ({ found, detail }) =>
      `the configuration key ${found} is the parent of ${detail}, so it would have to be a value and an object at once`,
    hint: 'rename one of the two',
  },
  MANIFEST_FEATURE_WITH_BODY: {
    rule: 26,
    requirement: 'absent on a feature',
    message: ({ subject }) => `a feature cannot have a ${subject} body`,
    hint: ({ subject }) => `remove "${subject}", or set "role": "${subject}"`,
  },
} as const satisfies RuleTable
