import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { ANY_CONFIG_KEY, ENV_NAME, HTTP_URL, PROGRAM, STEM } from '../grammar.ts'
import { isObject } from '../json/object.ts'
import { conditional, withMember, refine } from '../shapes/json-schema.ts'
import { choice, leaf, nameText, orNull, positive, text } from '../shapes/leaf-shapes.ts'
import { list, map, memberSchema, object, optional, required, type Members } from '../shapes/object-shapes.ts'
import { type Shape } from '../shapes/shape.ts'
import { createVariantChecks, membersOfKind, variants, type VariantMembers } from '../shapes/variant-shapes.ts'

const URL_PATH = /^\/[^\s?#]*$/
const nullableKey = orNull(nameText('MANIFEST_LANE_CONFIG_KEY', { pattern: ANY_CONFIG_KEY }))

/** Rule 38, for editors. */
const WHOLE_PLACEHOLDER = '^(?!.*\\{\\{)|^\\{\\{(?:model|effort|output|prompt|nativeTimeout)\\}\\}$'

/** Rule 37. A relation checks `outputArg` against `outputChannel`. */
const INVOKE_KINDS = {
  spawn: {
    binary: required(text('MANIFEST_LANE_BINARY', { pattern: PROGRAM })),
    args: required(
      list('MANIFEST_LANE_ARGS', text('MANIFEST_LANE_ARG', { extraSchema: { pattern: WHOLE_PLACEHOLDER } })),
    ),
    promptChannel: required(choice('MANIFEST_LANE_PROMPT_CHANNEL', ['stdin', 'argv', 'argv-file-ref', 'none'])),
    outputChannel: required(choice('MANIFEST_LANE_OUTPUT_CHANNEL', ['stdout', 'file-arg'])),
    outputArg: optional(text('MANIFEST_LANE_OUTPUT_ARG', { nonBlank: true })),
    modelArg: required(orNull(text('MANIFEST_LANE_MODEL_ARG', { nonBlank: true }))),
    effortChannel: required(choice('MANIFEST_LANE_EFFORT_CHANNEL', ['none', 'argv', 'env'])),
    env: optional(
      map('MANIFEST_LANE_ENV', { code: 'MANIFEST_LANE_ENV_NAME', pattern: ENV_NAME }, text('MANIFEST_LANE_ENV_VALUE')),
    ),
  },
  'openai-http': {
    hostConfigKey: required(nameText('MANIFEST_LANE_HOST_KEY', { pattern: ANY_CONFIG_KEY })),
    path: required(text('MANIFEST_LANE_HTTP_PATH', { pattern: URL_PATH })),
    modelDiscovery: required(choice('MANIFEST_LANE_MODEL_DISCOVERY', ['none', 'first-from-models-endpoint'])),
    effortChannel: required(choice('MANIFEST_LANE_EFFORT_CHANNEL', ['none'])),
    defaultHost: optional(text('MANIFEST_LANE_DEFAULT_HOST', { pattern: HTTP_URL, test: URL.canParse })),
    fallbackModel: optional(text('MANIFEST_LANE_FALLBACK_MODEL', { nonBlank: true })),
  },
} as const satisfies VariantMembers

const INVOKE_MEMBERS = Object.fromEntries(
  Object.keys(INVOKE_KINDS).map((name): [string, Members] => [
    name,
    membersOfKind(INVOKE_KINDS, name, 'MANIFEST_LANE_INVOKE_FOREIGN'),
  ]),
)
const invokeChecks = createVariantChecks(INVOKE_MEMBERS)

/** Rule 39. */
const probe = variants('MANIFEST_LANE_PROBE', {
  discriminant: 'kind',
  discriminantCode: 'MANIFEST_LANE_PROBE_KIND',
  foreign: 'MANIFEST_LANE_PROBE_FOREIGN',
  kinds: {
    'command-exists': { binary: required(text('MANIFEST_LANE_PROBE_BINARY', { pattern: PROGRAM })) },
    'command-capability': {
      binary: required(text('MANIFEST_LANE_PROBE_BINARY', { pattern: PROGRAM })),
      needle: required(text('MANIFEST_LANE_PROBE_NEEDLE', { nonBlank: true })),
      timeoutMs: required(positive('MANIFEST_LANE_PROBE_TIMEOUT', { whole: true })),
    },
    'http-reachable': {
      hostConfigKey: required(nameText('MANIFEST_LANE_PROBE_HOST_KEY', { pattern: ANY_CONFIG_KEY })),
      path: required(text('MANIFEST_LANE_PROBE_PATH', { pattern: URL_PATH })),
      timeoutMs: required(positive('MANIFEST_LANE_PROBE_TIMEOUT', { whole: true })),
    },
  },
})

/** Rules 36–40, without relations between members. */
const lane = object('MANIFEST_REVIEWER', {
  slug: required(nameText('MANIFEST_LANE_SLUG', { pattern: STEM })),
  flags: required(
    list('MANIFEST_LANE_FLAGS', text('MANIFEST_LANE_FLAG', { pattern: /^--[a-z0-9][a-z0-9-]*$/ }), {
      nonEmpty: true,
      unique: true,
    }),
  ),
  transport: required(choice('MANIFEST_LANE_TRANSPORT', Object.keys(INVOKE_KINDS))),
  probe: required(probe),
  invoke: required(leaf('MANIFEST_LANE_INVOKE', isObject, () => ({ type: 'object' }))),
  timeoutFloorMs: required(positive('MANIFEST_LANE_TIMEOUT_FLOOR', { whole: true })),
  emptyOutput: required(choice('MANIFEST_LANE_EMPTY_OUTPUT', ['stub-with-stderr', 'handler-owned'])),
  reviewsSection: required(text('MANIFEST_LANE_SECTION', { nonBlank: true })),
  evidenceClass: required(choice('MANIFEST_LANE_EVIDENCE_CLASS', ['source-grounded', 'diff-only'])),
  requiresBinaries: required(list('MANIFEST_LANE_BINARIES', text('MANIFEST_LANE_BINARY_NAME', { nonBlank: true }))),
  promptBudgetKey: required(nullableKey),
  modelConfigKey: optional(nullableKey),
  timeoutConfigKey: optional(nullableKey),
  effortConfigKey: optional(nullableKey),
  defaultEffort: optional(orNull(text('MANIFEST_LANE_DEFAULT_EFFORT', { nonBlank: true }))),
  handler: required(orNull(text('MANIFEST_LANE_HANDLER', { nonBlank: true }))),
})

/** Rules 36–41: the lane, with `invoke` in the form for its transport. */
export const REVIEWER_BODY: Shape = {
  code: 'MANIFEST_REVIEWER',
  check: (value: unknown, findings: Findings) => {
    lane.check(value, findings)
    if (!isObject(value) || !isObject(value['invoke'])) return
    const check = invokeChecks.get(value['transport'])
    if (check === undefined) return
    findings.enter('invoke')
    check(value['invoke'], findings)
    findings.leave()
  },
  schema: lazy(() =>
    refine(lane.schema(), {
      allOf: Object.entries(INVOKE_MEMBERS).map(([name, members]) =>
        conditional(withMember('transport', name), {
          type: 'object',
          properties: { invoke: memberSchema(members, 'warn') },
        }),
      ),
    }),
  ),
}

/** Rule 40: the handlers that this version has. */
export const HANDLERS: ReadonlySet<string> = new Set(['antigravity', 'openai-compatible', 'opencode'])
