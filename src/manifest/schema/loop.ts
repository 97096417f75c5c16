import type { Findings } from '../findings.ts'
import { ANY_CONFIG_KEY, BUNDLE_PATH, COMMAND_REF, CONFINED_PATH } from '../grammar.ts'
import { conditional, having, once, refine } from '../json-schema.ts'
import { anything, choice, described, flag, leaf, nameText, positive, text } from '../leaf-shapes.ts'
import { POINTS } from '../loop-contract.ts'
import { exactlyOne, list, map, object, optional, required, type Members } from '../object-shapes.ts'
import type { Shape } from '../shape.ts'
import { variants } from '../variant-shapes.ts'

/** Bytes of a fragment, as UTF-8 (rule 21). */
export const LONGEST_FRAGMENT = 256 * 1024

const points = new Set<unknown>(POINTS)

const point: Shape = {
  code: 'MANIFEST_POINT',
  check: (value: unknown, findings: Findings) => {
    if (!points.has(value)) findings.wrong('MANIFEST_POINT', value, { known: POINTS })
  },
  schema: once(() => ({ ...described('MANIFEST_POINT'), enum: POINTS })),
}

const artefacts = list('MANIFEST_ARTEFACTS', text('MANIFEST_ARTEFACT', { filled: true }))
const onError = choice('MANIFEST_ON_ERROR', ['skip', 'halt'])
const when = nameText('MANIFEST_WHEN', { pattern: ANY_CONFIG_KEY })

/** Whether a text has at most so many bytes as UTF-8; the length in code units settles nearly every case. */
const fits = (value: string, bytes: number): boolean =>
  value.length * 3 <= bytes || (value.length <= bytes && new TextEncoder().encode(value).length <= bytes)

const fragment = exactlyOne('MANIFEST_FRAGMENT', {
  path: text('MANIFEST_FRAGMENT_PATH', { pattern: BUNDLE_PATH }),
  inline: text('MANIFEST_FRAGMENT_INLINE', { filled: true, test: (value) => fits(value, LONGEST_FRAGMENT) }),
})

/** Rule 18. */
const step = object('MANIFEST_STEP', {
  point: required(point),
  ref: required(
    exactlyOne('MANIFEST_REF', {
      skill: text('MANIFEST_REF_TARGET', { filled: true }),
      agent: text('MANIFEST_REF_TARGET', { filled: true }),
      command: text('MANIFEST_REF_COMMAND', { pattern: COMMAND_REF }),
    }),
  ),
  produces: required(artefacts),
  consumes: required(artefacts),
  onError: required(onError),
  when: optional(when),
  fragment: optional(fragment),
})

/** Rule 19. */
const contribution = object('MANIFEST_CONTRIBUTION', {
  point: required(point),
  into: required(
    leaf(
      'MANIFEST_INTO',
      (value) => typeof value === 'string',
      () => ({ type: 'string' }),
    ),
  ),
  produces: required(artefacts),
  consumes: required(artefacts),
  fragment: required(fragment),
  when: optional(when),
  onError: optional(onError),
  configValues: optional(
    map('MANIFEST_CONFIG_ALIASES', null, nameText('MANIFEST_CONFIG_ALIAS', { pattern: ANY_CONFIG_KEY })),
  ),
})

const artifact = text('MANIFEST_PREDICATE_ARTIFACT', { pattern: CONFINED_PATH })
/** Any JSON value, but one that a number too large for a computer has not become. */
const equals = leaf(
  'MANIFEST_PREDICATE_EQUALS',
  (value) => typeof value !== 'number' || Number.isFinite(value),
  () => ({}),
)

const predicate = variants('MANIFEST_PREDICATE', {
  by: 'kind',
  byCode: 'MANIFEST_PREDICATE_KIND',
  kinds: {
    'artifact-exists': { artifact: required(artifact) },
    'config-equals': {
      key: required(nameText('MANIFEST_PREDICATE_KEY', { pattern: ANY_CONFIG_KEY })),
      equals: required(equals),
    },
    'artifact-frontmatter-equals': {
      artifact: required(artifact),
      field: required(nameText('MANIFEST_PREDICATE_FIELD', { filled: true })),
      equals: required(equals),
    },
    'command-exit-zero': {
      command: required(text('MANIFEST_PREDICATE_COMMAND', { filled: true, max: 4096 })),
      timeout: optional(positive('MANIFEST_PREDICATE_TIMEOUT', { max: 600 })),
    },
  },
})

/** Rule 20. */
const gate = object('MANIFEST_GATE', {
  point: required(point),
  check: required(
    exactlyOne('MANIFEST_CHECK', {
      query: text('MANIFEST_CHECK_QUERY', { filled: true }),
      predicate,
      agentVerdict: object('MANIFEST_AGENT_VERDICT', {
        ref: optional(anything('MANIFEST_AGENT_VERDICT', 'the agent that judges')),
        prompt: optional(anything('MANIFEST_AGENT_VERDICT', 'what it is asked')),
      }),
    }),
  ),
  blocking: required(flag('MANIFEST_BLOCKING')),
  onError: required(onError),
  when: optional(when),
})

/** Rule 20, for editors. */
const verdictsNeverBlock = () =>
  conditional(
    { type: 'object', required: ['check'], properties: { check: having('agentVerdict') } },
    { type: 'object', properties: { blocking: { const: false } } },
  )

/** Rule 17. */
export const LOOP_MEMBERS = {
  steps: required(list('MANIFEST_STEPS', step)),
  contributions: required(list('MANIFEST_CONTRIBUTIONS', contribution)),
  gates: required(list('MANIFEST_GATES', { ...gate, schema: once(() => refine(gate.schema(), verdictsNeverBlock())) })),
} as const satisfies Members
