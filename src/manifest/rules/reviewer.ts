import type { RuleTable } from './rule.ts'

const KEY = 'null, or a configuration key of segments with dots between'

/** Rules 35–41. */
export const REVIEWER_RULES = {
  MANIFEST_REVIEWER: {
    rule: 35,
    requirement: 'an object that describes the reviewer lane',
    example: '{ "slug": "my-lane", "flags": ["--my-lane"], "transport": "spawn", … }',
    hint: 'describe it: "gsd capability init <id> --role reviewer" writes a complete example',
  },
  MANIFEST_REVIEWER_WITH_RUNTIME: {
    rule: 35,
    requirement: 'absent on a reviewer',
    message: () => 'a capability with the role "reviewer" cannot have a runtime body',
    hint: 'remove "runtime", or set "role": "runtime"',
  },
  MANIFEST_LANE_SLUG: {
    rule: 36,
    requirement: 'lower-case letters, digits, _ and -, starting with a letter or digit',
    example: '"my-lane"',
  },
  MANIFEST_LANE_FLAGS: { rule: 36, requirement: 'a non-empty array of flags', example: '["--my-lane"]' },
  MANIFEST_LANE_FLAG: {
    rule: 36,
    requirement: 'two hyphens, then lower-case letters, digits and hyphens',
    example: '"--my-lane"',
  },
  MANIFEST_LANE_FLAG_DUPLICATE: {
    rule: 36,
    requirement: 'without repeated flags',
    message: ({ subject, found }) => `${subject} repeats ${found}`,
    hint: 'keep one of them',
  },
  MANIFEST_LANE_SECTION: { rule: 36, requirement: 'a non-empty heading', example: '"My lane"' },
  MANIFEST_LANE_TRANSPORT: { rule: 37, requirement: '"spawn" or "openai-http"', example: '"spawn"' },
  MANIFEST_LANE_INVOKE: {
    rule: 37,
    requirement: 'an object that says how to run the lane',
    example:
      '{ "binary": "my-cli", "args": ["-"], "promptChannel": "stdin", "outputChannel": "stdout", "modelArg": null, "effortChannel": "none" }',
  },
  MANIFEST_LANE_BINARY: {
    rule: 37,
    requirement: 'the bare name of a program',
    example: '"my-cli"',
  },
  MANIFEST_LANE_ARGS: { rule: 37, requirement: 'an array of strings', example: '["-"]' },
  MANIFEST_LANE_ARG: { rule: 37, requirement: 'a string', example: '"--print"' },
  MANIFEST_LANE_PROMPT_CHANNEL: {
    rule: 37,
    requirement: '"stdin", "argv", "argv-file-ref" or "none"',
    example: '"stdin"',
  },
  MANIFEST_LANE_OUTPUT_CHANNEL: { rule: 37, requirement: '"stdout" or "file-arg"', example: '"stdout"' },
  MANIFEST_LANE_OUTPUT_ARG: {
    rule: 37,
    requirement: 'the argument before the output file, present exactly when outputChannel is "file-arg"',
    example: '"-o"',
    message: ({ subject, found, detail }) =>
      detail === '' ? `${subject} must be a non-empty string, not ${found}` : detail,
    hint: 'give outputArg, such as "-o", together with "outputChannel": "file-arg", or neither',
  },
  MANIFEST_LANE_MODEL_ARG: {
    rule: 37,
    requirement: 'null, or the argument before the model',
    example: '"--model"',
    hint: 'write for example "--model", or null when the lane takes no model',
  },
  MANIFEST_LANE_EFFORT_CHANNEL: {
    rule: 37,
    requirement: '"none", "argv" or "env" for spawn, and "none" for openai-http',
    example: '"none"',
  },
  MANIFEST_LANE_HOST_KEY: {
    rule: 37,
    requirement: 'a configuration key of segments joined by dots, which names the host',
    example: '"review.my_lane_host"',
  },
  MANIFEST_LANE_HTTP_PATH: {
    rule: 37,
    requirement: 'a URL path that starts with /',
    example: '"/v1/chat/completions"',
  },
  MANIFEST_LANE_MODEL_DISCOVERY: {
    rule: 37,
    requirement: '"none" or "first-from-models-endpoint"',
    example: '"none"',
  },
  MANIFEST_LANE_DEFAULT_HOST: {
    rule: 37,
    requirement: 'a complete URL that starts with https:// or http://',
    example: '"http://localhost:8080"',
  },
  MANIFEST_LANE_FALLBACK_MODEL: { rule: 37, requirement: 'a non-empty string', example: '"local-model"' },
  MANIFEST_LANE_INVOKE_FOREIGN: {
    rule: 37,
    requirement: 'absent with another transport',
    message: ({ subject, detail }) => `${subject} is not allowed with the transport "${detail}"`,
    hint: 'remove it, or change "transport"',
  },
  MANIFEST_LANE_PLACEHOLDER: {
    rule: 38,
    requirement:
      'free of {{…}} except {{model}}, {{effort}}, {{output}}, {{prompt}} and {{nativeTimeout}}, each a whole argument',
    message: ({ subject, found }) =>
      `${subject} is ${found}; a placeholder is a whole argument: {{model}}, {{effort}}, {{output}}, {{prompt}} or {{nativeTimeout}}`,
    hint: 'split it into separate arguments, such as "-p", "{{prompt}}"',
  },
  MANIFEST_LANE_PROBE: {
    rule: 39,
    requirement: 'an object that says how to check whether the lane is available',
    example: '{ "kind": "command-exists", "binary": "my-cli" }',
  },
  MANIFEST_LANE_PROBE_KIND: {
    rule: 39,
    requirement: '"command-exists", "command-capability" or "http-reachable"',
    example: '"command-exists"',
  },
  MANIFEST_LANE_PROBE_BINARY: { rule: 39, requirement: 'the bare name of a program', example: '"my-cli"' },
  MANIFEST_LANE_PROBE_NEEDLE: {
    rule: 39,
    requirement: 'a non-empty text that the help of the program must contain',
    example: '"--output-format"',
  },
  MANIFEST_LANE_PROBE_TIMEOUT: {
    rule: 39,
    requirement: 'a positive whole number of milliseconds',
    example: '5000',
  },
  MANIFEST_LANE_PROBE_HOST_KEY: {
    rule: 39,
    requirement: 'a configuration key of segments joined by dots, which names the host',
    example: '"review.my_lane_host"',
  },
  MANIFEST_LANE_PROBE_PATH: { rule: 39, requirement: 'a URL path that starts with /', example: '"/v1/models"' },
  MANIFEST_LANE_PROBE_FOREIGN: {
    rule: 39,
    requirement: 'absent with other kinds of probe',
    message: ({ subject, detail }) => `${subject} is not allowed with the probe kind "${detail}"`,
    hint: 'remove it, or change the kind',
  },
  MANIFEST_LANE_TIMEOUT_FLOOR: {
    rule: 40,
    requirement: 'a positive whole number of milliseconds',
    example: '600000',
  },
  MANIFEST_LANE_EMPTY_OUTPUT: {
    rule: 40,
    requirement: '"stub-with-stderr" or "handler-owned"',
    example: '"stub-with-stderr"',
  },
  MANIFEST_LANE_EVIDENCE_CLASS: { rule: 40, requirement: '"source-grounded" or "diff-only"', example: '"diff-only"' },
  MANIFEST_LANE_BINARIES: {
    rule: 40,
    requirement: 'an array of names of programs; [] when it needs no more',
    example: '[]',
  },
  MANIFEST_LANE_BINARY_NAME: { rule: 40, requirement: 'the name of a program', example: '"git"' },
  MANIFEST_LANE_CONFIG_KEY: { rule: 40, requirement: KEY, example: 'null' },
  MANIFEST_LANE_CONFIG_KEY_UNDECLARED: {
    rule: 40,
    requirement: 'a key of its own config or a central key',
    message: ({ subject, found }) => `${subject} names ${found}, which is neither in "config" nor a central key`,
    hint: ({ found, detail }) =>
      detail === '' ? `declare ${found} in "config", or write null` : `did you mean "${detail}"?`,
  },
  MANIFEST_LANE_ENV: {
    rule: 41,
    requirement: 'an object from names of variables to texts',
    example: '{ "MY_CLI_QUIET": "1" }',
  },
  MANIFEST_LANE_ENV_NAME: {
    rule: 41,
    requirement: 'a name of letters, digits and _, not starting with a digit',
    example: '"MY_CLI_QUIET"',
  },
  MANIFEST_LANE_ENV_VALUE: { rule: 41, requirement: 'a text', example: '"1"' },
  MANIFEST_LANE_DEFAULT_EFFORT: { rule: 41, requirement: 'null, or a level of effort', example: '"high"' },
  MANIFEST_LANE_HANDLER: { rule: 40, requirement: 'null, or the name of a handler', example: 'null' },
  MANIFEST_LANE_HANDLER_UNKNOWN: {
    rule: 40,
    requirement: 'null, "antigravity", "openai-compatible" or "opencode"',
    message: ({ found }) => `reviewer.handler is ${found}, which this version does not have`,
    hint: 'write null, "antigravity", "openai-compatible" or "opencode", or install a newer version of GSD',
  },
} as const satisfies RuleTable
