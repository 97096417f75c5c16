import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { ANY_CONFIG_KEY, BUNDLE_PATH, COMMAND_REF, CONFINED_PATH } from '../grammar.ts'
import { POINTS } from '../loop-contract.ts'
import { conditional, withMember, refine } from '../shapes/json-schema.ts'
import { unconstrained, choice, describeRule, flag, leaf, nameText, positive, text } from '../shapes/leaf-shapes.ts'
import { exactlyOne, list, map, object, optional, required, type Members } from '../shapes/object-shapes.ts'
import type { Shape } from '../shapes/shape.ts'
import { variants } from '../shapes/variant-shapes.ts'

/** Bytes of a fragment, as UTF-8 (rule 21). */
export const MAX_FRAGMENT_BYTES = 256 * 1024

const points = new Set<unknown>(POINTS)

const point: Shape = {
  code: 'MANIFEST_POINT',
  check: (value: unknown, findings: Findings) => {
    if (!points.has(value)) findings.reportValue('MANIFEST_POINT', value, { known: POINTS })
  },
  schema: lazy(() => ({ ...describeRule('MANIFEST_POINT'), enum: POINTS })),
}

const artefacts = list('MANIFEST_ARTEFACTS', text('MANIFEST_ARTEFACT', { nonBlank: true }))
const onError = choice('MANIFEST_ON_ERROR', ['skip', 'halt'])
const when = nameText('MANIFEST_WHEN', { pattern: ANY_CONFIG_KEY })

/** Whether a text fits as UTF-8; its length in code units decides nearly every case. */
const fitsInBytes = (value: string, bytes: number): boolean =>
  value.length * 3 <= bytes || (value.length <= bytes && new TextEncoder().encode(value).length <= bytes)

const fragment = exactlyOne('MANIFEST_FRAGMENT', {
  path: text('MANIFEST_FRAGMENT_PATH', { pattern: BUNDLE_PATH }),
  inline: text('MANIFEST_FRAGMENT_INLINE', { nonBlank: true, test: (value) => fitsInBytes(value, MAX_FRAGMENT_BYTES) }),
})

/** Rule 18. */
const step = object('MANIFEST_STEP', {
  point: required(point),
  ref: required(
    exactlyOne('MANIFEST_REF', {
      skill: text('MANIFEST_REF_TARGET', { nonBlank: true }),
      agent: text('MANIFEST_REF_TARGET', { nonBlank: true }),
      command: text('MANIFEST_REF_COMMAND', { pattern: COMMAND_REF }),
    }),
  ),
  produces: required(artefacts),
  consumes: required(artefacts),
  onError: required(onError),
  when: optional(when),
  fragment: optional(fragment),
  pointFrom: optional(nameText('MANIFEST_POINT_FROM', { pattern: ANY_CONFIG_KEY })),
  supportsReviewerLanes: optional(flag('MANIFEST_REVIEWER_LANES')),
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
/** Any JSON value; `JSON.parse` makes numbers that are too large infinite. */
const equals = leaf(
  'MANIFEST_PREDICATE_EQUALS',
  (value) => typeof value !== 'number' || Number.isFinite(value),
  () => ({}),
)

const predicate = variants('MANIFEST_PREDICATE', {
  discriminant: 'kind',
  discriminantCode: 'MANIFEST_PREDICATE_KIND',
  kinds: {
    'artifact-exists': { artifact: required(artifact) },
    'config-equals': {
      key: required(nameText('MANIFEST_PREDICATE_KEY', { pattern: ANY_CONFIG_KEY })),
      equals: required(equals),
    },
    'artifact-frontmatter-equals': {
      artifact: required(artifact),
      field: required(nameText('MANIFEST_PREDICATE_FIELD', { nonBlank: true })),
      equals: required(equals),
    },
    'command-exit-zero': {
      command: required(text('MANIFEST_PREDICATE_COMMAND', { nonBlank: true, max: 4096 })),
      timeout: optional(positive('MANIFEST_PREDICATE_TIMEOUT', { max: 600 })),
    },
  },
})

/** Rule 20. */
const gate = object('MANIFEST_GATE', {
  point: required(point),
  check: required(
    exactlyOne('MANIFEST_CHECK', {
      query: text('MANIFEST_CHECK_QUERY', { nonBlank: true }),
      predicate,
      agentVerdict: object('MANIFEST_AGENT_VERDICT', {
        ref: optional(unconstrained('MANIFEST_AGENT_VERDICT', 'the agent that judges')),
        prompt: optional(unconstrained('MANIFEST_AGENT_VERDICT', 'what the agent is asked')),
      }),
    }),
  ),
  blocking: required(flag('MANIFEST_BLOCKING')),
  onError: required(onError),
  when: optional(when),
})

/** Rule 20, for editors. */
const verdictBlockingSchema = () =>
  conditional(
    { type: 'object', required: ['check'], properties: { check: withMember('agentVerdict') } },
    { type: 'object', properties: { blocking: { const: false } } },
  )

/** Rule 17. */
export const LOOP_MEMBERS = {
  steps: required(list('MANIFEST_STEPS', step)),
  contributions: required(list('MANIFEST_CONTRIBUTIONS', contribution)),
  gates: required(
    list('MANIFEST_GATES', { ...gate, schema: lazy(() => refine(gate.schema(), verdictBlockingSchema())) }),
  ),
} as const satisfies Members
