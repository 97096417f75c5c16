import { POINTS } from '../loop-contract.ts'
import type { RuleTable } from './rule.ts'

const KEY = 'a configuration key of segments joined by dots, each of lower-case letters, digits, _ and -'

/** Rules 17–23. */
export const LOOP_RULES = {
  MANIFEST_STEPS: { rule: 17, requirement: 'an array of steps; [] when it has none', example: '[]' },
  MANIFEST_CONTRIBUTIONS: { rule: 17, requirement: 'an array of contributions; [] when it has none', example: '[]' },
  MANIFEST_GATES: { rule: 17, requirement: 'an array of gates; [] when it has none', example: '[]' },
  MANIFEST_STEP: {
    rule: 17,
    requirement: 'an object with point, ref, produces, consumes and onError',
    example:
      '{ "point": "plan:pre", "ref": { "skill": "my-skill" }, "produces": [], "consumes": [], "onError": "skip" }',
  },
  MANIFEST_CONTRIBUTION: {
    rule: 17,
    requirement: 'an object with point, into, produces, consumes and fragment',
    example:
      '{ "point": "plan:pre", "into": "planner", "produces": [], "consumes": [], "fragment": { "path": "fragments/plan.md" } }',
  },
  MANIFEST_GATE: {
    rule: 17,
    requirement: 'an object with point, check, blocking and onError',
    example: '{ "point": "ship:pre", "check": { "query": "my.check" }, "blocking": true, "onError": "halt" }',
  },
  MANIFEST_POINT: {
    rule: 18,
    requirement: `one of the points ${POINTS.join(', ')}`,
    message: ({ subject, found }) => `${subject} is ${found}, which is not one of the 12 points of the loop`,
    hint: ({ detail }) => (detail === '' ? `use one of ${POINTS.join(', ')}` : `did you mean "${detail}"?`),
    example: '"plan:pre"',
  },
  MANIFEST_REF: {
    rule: 18,
    requirement: 'an object with exactly one of skill, agent and command',
    example: '{ "skill": "my-skill" }',
  },
  MANIFEST_REF_TARGET: { rule: 18, requirement: 'a non-empty string', example: '"my-skill"' },
  MANIFEST_REF_UNOWNED: {
    rule: 18,
    requirement: 'a skill or agent that the capability itself declares',
    message: ({ subject, found, detail }) =>
      `${subject} names ${found}, which is not in the ${detail} of this capability`,
    hint: ({ found, detail }) => `add ${found} to "${detail}", or name one that is listed`,
  },
  MANIFEST_REF_COMMAND: {
    rule: 18,
    requirement: 'a command family and subcommands, separated by single spaces',
    example: '"my-family run"',
  },
  MANIFEST_REF_FAMILY: {
    rule: 18,
    requirement: 'a command family of this capability or of one that it requires',
    message: ({ subject, found }) =>
      `${subject} names the command family ${found}, which this capability does not declare, and it requires no other capability`,
    hint: ({ found }) => `declare ${found} in "commands", or add the capability that has it to "requires"`,
  },
  MANIFEST_REF_SUBCOMMAND: {
    rule: 18,
    requirement: 'a subcommand that its family lists',
    message: ({ subject, found, detail }) => `${subject} names the subcommand ${found}; its family has ${detail}`,
    hint: 'name a listed subcommand, or add this one to "subcommands"',
  },
  MANIFEST_POINT_FROM: { rule: 41, requirement: KEY, example: '"my-capability.point"' },
  MANIFEST_POINT_FROM_KEY: {
    rule: 41,
    requirement: 'an enum key of its own config whose values include the point of the step',
    message: ({ subject, found, detail }) =>
      `${subject} names ${found}, which is not an enum key of "config" with the value "${detail}"`,
    hint: ({ found, detail }) => `declare ${found} as an enum with "${detail}" among its values, or remove pointFrom`,
  },
  MANIFEST_REVIEWER_LANES: { rule: 41, requirement: 'true or false', example: 'false' },
  MANIFEST_ARTEFACTS: { rule: 18, requirement: 'an array of artefact names; [] when there are none', example: '[]' },
  MANIFEST_ARTEFACT: { rule: 18, requirement: 'a non-empty artefact name', example: '"PLAN.md"' },
  MANIFEST_ON_ERROR: { rule: 18, requirement: '"skip" or "halt"', example: '"skip"' },
  MANIFEST_INTO: {
    rule: 19,
    requirement: 'an agent role of its point',
    example: '"planner"',
    message: ({ subject, found }) => `${subject} must be an agent role of its point, not ${found}`,
    hint: ({ detail }) => (detail === '' ? 'write for example "planner" at plan:pre' : `at this point it is ${detail}`),
  },
  MANIFEST_CONFIG_ALIASES: {
    rule: 19,
    requirement: 'an object from aliases to configuration keys',
    example: '{ "level": "my-capability.level" }',
  },
  MANIFEST_CONFIG_ALIAS: { rule: 19, requirement: KEY, example: '"my-capability.level"' },
  MANIFEST_CHECK: {
    rule: 20,
    requirement: 'an object with exactly one of query, predicate and agentVerdict',
    example: '{ "predicate": { "kind": "artifact-exists", "artifact": "PLAN.md" } }',
  },
  MANIFEST_CHECK_QUERY: { rule: 20, requirement: 'a non-empty query', example: '"ui.safety-gate"' },
  MANIFEST_PREDICATE: {
    rule: 20,
    requirement: 'an object with a kind and its fields',
    example: '{ "kind": "artifact-exists", "artifact": "PLAN.md" }',
  },
  MANIFEST_PREDICATE_KIND: {
    rule: 20,
    requirement: '"artifact-exists", "config-equals", "artifact-frontmatter-equals" or "command-exit-zero"',
    example: '"artifact-exists"',
  },
  MANIFEST_PREDICATE_ARTIFACT: {
    rule: 20,
    requirement: 'a relative path of an artefact, without ".."',
    example: '"PLAN.md"',
  },
  MANIFEST_PREDICATE_KEY: { rule: 20, requirement: KEY, example: '"my-capability.enabled"' },
  MANIFEST_PREDICATE_FIELD: { rule: 20, requirement: 'a non-empty frontmatter field', example: '"open_count"' },
  MANIFEST_PREDICATE_EQUALS: { rule: 20, requirement: 'a JSON value to compare with', example: 'true' },
  MANIFEST_PREDICATE_COMMAND: {
    rule: 20,
    requirement: 'a command line of 1 to 4,096 characters',
    example: '"npm test --silent"',
  },
  MANIFEST_PREDICATE_TIMEOUT: { rule: 20, requirement: 'a positive number of seconds, at most 600', example: '60' },
  MANIFEST_AGENT_VERDICT: {
    rule: 20,
    requirement: 'an object that says what an agent judges',
    example: '{ "ref": "my-agent", "prompt": "Is the plan complete?" }',
  },
  MANIFEST_AGENT_VERDICT_BLOCKING: {
    rule: 20,
    requirement: 'false when an agent gives the verdict',
    message: () => 'a gate with agentVerdict must not block: the verdict of a model may differ from run to run',
    hint: 'set "blocking": false, or check with query or predicate',
  },
  MANIFEST_BLOCKING: { rule: 20, requirement: 'true or false', example: 'true' },
  MANIFEST_FRAGMENT: {
    rule: 21,
    requirement: 'an object with exactly one of path and inline',
    example: '{ "path": "fragments/plan.md" }',
  },
  MANIFEST_FRAGMENT_INLINE: {
    rule: 21,
    requirement: 'a text of at most 256 KiB, not empty',
    example: '"Read SPEC.md before you plan."',
  },
  MANIFEST_FRAGMENT_PATH: {
    rule: 21,
    requirement:
      'a relative path inside the bundle, made of letters, digits and . _ / -, without "..", and no part starting with "-"',
    example: '"fragments/plan.md"',
  },
  MANIFEST_FRAGMENT_FILE: {
    rule: 21,
    requirement: 'a file of the bundle',
    message: ({ subject, found }) => `${subject} names ${found}, which is not a file of the bundle`,
    hint: ({ found }) => `add the file ${found}, or correct the path`,
  },
  MANIFEST_FRAGMENT_SIZE: {
    rule: 21,
    requirement: 'a file of at most 256 KiB',
    message: ({ found, detail }) => `the fragment ${found} has ${detail}; at most 256 KiB are read`,
    hint: 'shorten it, or split it into several fragments',
  },
  MANIFEST_WHEN: { rule: 22, requirement: KEY, example: '"my-capability.enabled"' },
  MANIFEST_WHEN_UNDECLARED: {
    rule: 22,
    requirement: 'a key of its own config or a central key',
    message: ({ subject, found }) => `${subject} names ${found}, which is neither in "config" nor a central key`,
    hint: ({ found, detail }) => (detail === '' ? `declare ${found} in "config"` : `did you mean "${detail}"?`),
  },
  MANIFEST_ACTIVATION_KEY: { rule: 23, requirement: KEY, example: '"my-capability.enabled"' },
  MANIFEST_ACTIVATION_KEY_UNDECLARED: {
    rule: 23,
    requirement: 'a key of its own config',
    message: ({ found }) => `activationKey names ${found}, which is not in "config"`,
    hint: ({ found, detail }) => (detail === '' ? `declare ${found} in "config"` : `did you mean "${detail}"?`),
  },
} as const satisfies RuleTable
