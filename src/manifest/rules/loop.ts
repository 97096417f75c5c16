import { POINTS } from '../loop-contract.ts'
import type { RuleTable } from './rule.ts'

const KEY = 'a configuration key of segments with dots between, each of lower-case letters, digits, _ and -'

/** Rules 17–23. */
export const LOOP_RULES = {
  MANIFEST_STEPS: { rule: 17, demands: 'an array of steps; [] when it has none', example: '[]' },
  MANIFEST_CONTRIBUTIONS: { rule: 17, demands: 'an array of contributions; [] when it has none', example: '[]' },
  MANIFEST_GATES: { rule: 17, demands: 'an array of gates; [] when it has none', example: '[]' },
  MANIFEST_STEP: {
    rule: 17,
    demands: 'an object with point, ref, produces, consumes and onError',
    example:
      '{ "point": "plan:pre", "ref": { "skill": "my-skill" }, "produces": [], "consumes": [], "onError": "skip" }',
  },
  MANIFEST_CONTRIBUTION: {
    rule: 17,
    demands: 'an object with point, into, produces, consumes and fragment',
    example:
      '{ "point": "plan:pre", "into": "planner", "produces": [], "consumes": [], "fragment": { "path": "fragments/plan.md" } }',
  },
  MANIFEST_GATE: {
    rule: 17,
    demands: 'an object with point, check, blocking and onError',
    example: '{ "point": "ship:pre", "check": { "query": "my.check" }, "blocking": true, "onError": "halt" }',
  },
  MANIFEST_POINT: {
    rule: 18,
    demands: `one of the points ${POINTS.join(', ')}`,
    says: ({ subject, shown }) => `${subject} is ${shown}, which is none of the 12 points of the loop`,
    hint: ({ detail }) => (detail === '' ? `use one of ${POINTS.join(', ')}` : `did you mean "${detail}"?`),
    example: '"plan:pre"',
  },
  MANIFEST_REF: {
    rule: 18,
    demands: 'an object with exactly one of skill, agent and command',
    example: '{ "skill": "my-skill" }',
  },
  MANIFEST_REF_TARGET: { rule: 18, demands: 'a non-empty string', example: '"my-skill"' },
  MANIFEST_REF_UNOWNED: {
    rule: 18,
    demands: 'a skill or agent that the capability itself declares',
    says: ({ subject, shown, detail }) => `${subject} names ${shown}, which is not in the ${detail} of this capability`,
    hint: ({ shown, detail }) => `add ${shown} to "${detail}", or name one that is there`,
  },
  MANIFEST_REF_COMMAND: {
    rule: 18,
    demands: 'a command family and, after single blanks, subcommands',
    example: '"my-family run"',
  },
  MANIFEST_REF_FAMILY: {
    rule: 18,
    demands: 'a command family of this capability or of one that it requires',
    says: ({ subject, shown }) =>
      `${subject} names the command family ${shown}, which this capability does not declare, and it requires no other one`,
    hint: ({ shown }) => `declare ${shown} in "commands", or add the capability that has it to "requires"`,
  },
  MANIFEST_REF_SUBCOMMAND: {
    rule: 18,
    demands: 'a subcommand that its family lists',
    says: ({ subject, shown, detail }) => `${subject} names the subcommand ${shown}; its family has ${detail}`,
    hint: 'name a listed subcommand, or add this one to "subcommands"',
  },
  MANIFEST_ARTEFACTS: { rule: 18, demands: 'an array of artefact names; [] when there are none', example: '[]' },
  MANIFEST_ARTEFACT: { rule: 18, demands: 'a non-empty artefact name', example: '"PLAN.md"' },
  MANIFEST_ON_ERROR: { rule: 18, demands: '"skip" or "halt"', example: '"skip"' },
  MANIFEST_INTO: {
    rule: 19,
    demands: 'an agent role of its point',
    example: '"planner"',
    says: ({ subject, shown }) => `${subject} must be an agent role of its point, not ${shown}`,
    hint: ({ detail }) => (detail === '' ? 'write for example "planner" at plan:pre' : `at this point it is ${detail}`),
  },
  MANIFEST_CONFIG_ALIASES: {
    rule: 19,
    demands: 'an object from aliases to configuration keys',
    example: '{ "level": "my-capability.level" }',
  },
  MANIFEST_CONFIG_ALIAS: { rule: 19, demands: KEY, example: '"my-capability.level"' },
  MANIFEST_CHECK: {
    rule: 20,
    demands: 'an object with exactly one of query, predicate and agentVerdict',
    example: '{ "predicate": { "kind": "artifact-exists", "artifact": "PLAN.md" } }',
  },
  MANIFEST_CHECK_QUERY: { rule: 20, demands: 'a non-empty query', example: '"ui.safety-gate"' },
  MANIFEST_PREDICATE: {
    rule: 20,
    demands: 'an object with a kind and its fields',
    example: '{ "kind": "artifact-exists", "artifact": "PLAN.md" }',
  },
  MANIFEST_PREDICATE_KIND: {
    rule: 20,
    demands: '"artifact-exists", "config-equals", "artifact-frontmatter-equals" or "command-exit-zero"',
    example: '"artifact-exists"',
  },
  MANIFEST_PREDICATE_ARTIFACT: {
    rule: 20,
    demands: 'a relative path of an artefact, without ".."',
    example: '"PLAN.md"',
  },
  MANIFEST_PREDICATE_KEY: { rule: 20, demands: KEY, example: '"my-capability.enabled"' },
  MANIFEST_PREDICATE_FIELD: { rule: 20, demands: 'a non-empty frontmatter field', example: '"open_count"' },
  MANIFEST_PREDICATE_EQUALS: { rule: 20, demands: 'a JSON value to compare with', example: 'true' },
  MANIFEST_PREDICATE_COMMAND: {
    rule: 20,
    demands: 'a command line of 1 to 4,096 characters',
    example: '"npm test --silent"',
  },
  MANIFEST_PREDICATE_TIMEOUT: { rule: 20, demands: 'a positive number of seconds, at most 600', example: '60' },
  MANIFEST_AGENT_VERDICT: {
    rule: 20,
    demands: 'an object that says what an agent is to judge',
    example: '{ "ref": "my-agent", "prompt": "Is the plan complete?" }',
  },
  MANIFEST_AGENT_VERDICT_BLOCKING: {
    rule: 20,
    demands: 'false where an agent gives the verdict',
    says: () => 'a gate with agentVerdict must not block: the verdict of a model may differ from run to run',
    hint: 'set "blocking": false, or check with query or predicate',
  },
  MANIFEST_BLOCKING: { rule: 20, demands: 'true or false', example: 'true' },
  MANIFEST_FRAGMENT: {
    rule: 21,
    demands: 'an object with exactly one of path and inline',
    example: '{ "path": "fragments/plan.md" }',
  },
  MANIFEST_FRAGMENT_INLINE: {
    rule: 21,
    demands: 'a text of at most 256 KiB, not empty',
    example: '"Read SPEC.md before you plan."',
  },
  MANIFEST_FRAGMENT_PATH: {
    rule: 21,
    demands:
      'a relative path inside the bundle, made of letters, digits and . _ / -, without "..", and no part starting with "-"',
    example: '"fragments/plan.md"',
  },
  MANIFEST_FRAGMENT_FILE: {
    rule: 21,
    demands: 'a file of the bundle',
    says: ({ subject, shown }) => `${subject} names ${shown}, which is not a file of the bundle`,
    hint: ({ shown }) => `add the file ${shown}, or mend the path`,
  },
  MANIFEST_FRAGMENT_SIZE: {
    rule: 21,
    demands: 'a file of at most 256 KiB',
    says: ({ shown, detail }) => `the fragment ${shown} has ${detail}; at most 256 KiB are read`,
    hint: 'shorten it, or split it over several hooks',
  },
  MANIFEST_WHEN: { rule: 22, demands: KEY, example: '"my-capability.enabled"' },
  MANIFEST_WHEN_UNDECLARED: {
    rule: 22,
    demands: 'a key of its own config or a central key',
    says: ({ subject, shown }) => `${subject} names ${shown}, which is neither in "config" nor a central key`,
    hint: ({ shown, detail }) => (detail === '' ? `declare ${shown} in "config"` : `did you mean "${detail}"?`),
  },
  MANIFEST_ACTIVATION_KEY: { rule: 23, demands: KEY, example: '"my-capability.enabled"' },
  MANIFEST_ACTIVATION_KEY_UNDECLARED: {
    rule: 23,
    demands: 'a key of its own config',
    says: ({ shown }) => `activationKey names ${shown}, which is not in "config"`,
    hint: ({ shown, detail }) => (detail === '' ? `declare ${shown} in "config"` : `did you mean "${detail}"?`),
  },
} as const satisfies RuleTable
