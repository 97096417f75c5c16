import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Lane } from './lane.ts'
import { takesAgent } from './plan-lane.ts'
import { optionProblem } from './resolve-lanes.ts'
import { type ReviewConfig, textValue } from './review-config.ts'

export interface SelectionRequest {
  /** Flags of lanes, such as `--codex`. */
  readonly flags: readonly string[]
  readonly all: boolean
  readonly includeSelf: boolean
}

/** Lanes to run, in roster order. */
export interface Selection {
  readonly lanes: readonly Lane[]
  /** Names whose failure makes the command fail. */
  readonly asserted: ReadonlySet<string>
  /** Whether a lane that is not available is left out without a section. */
  readonly optional: boolean
  readonly notes: readonly Diagnostic[]
}

export interface SelectionInput {
  readonly config: ReviewConfig
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Chooses lanes: by flags, else all, else `review.default_reviewers`, else all. The agent that asks is left out. Pure.
 * @throws GsdError USAGE_UNKNOWN_FLAG, USAGE_BAD_VALUE for a reviewer that does not exist beside configured instances
 */
export const selectLanes = (
  lanes: readonly Lane[],
  request: SelectionRequest,
  { config, env }: SelectionInput,
): Selection => {
  const chosen = choose(lanes, request, config)
  const self = request.includeSelf ? null : callingAgent(env)
  const kept = chosen.lanes.filter(({ slug }) => slug !== self)
  if (self === null || kept.length === chosen.lanes.length) return chosen
  const note = diagnostic('info', 'OVERLAY_LANE_UNAVAILABLE', `${quote(self)} asks for the review and is left out`, {
    hint: 'write --include-self to keep it',
  })
  return { ...chosen, lanes: kept, notes: [...chosen.notes, note] }
}

const choose = (lanes: readonly Lane[], { flags, all }: SelectionRequest, config: ReviewConfig): Selection => {
  if (flags.length > 0) {
    for (const flag of flags) if (!lanes.some((lane) => lane.flags.includes(flag))) throw unknownFlag(flag, lanes)
    const named = lanes.filter((lane) => lane.flags.some((flag) => flags.includes(flag)))
    return { lanes: named, asserted: new Set(named.map(({ name }) => name)), optional: false, notes: [] }
  }
  const listed = config.lookup('review.default_reviewers')?.value
  if (all || !Array.isArray(listed)) return { lanes, asserted: new Set(), optional: true, notes: [] }
  return byNames(
    lanes,
    listed.filter((name): name is string => typeof name === 'string'),
    config,
  )
}

const unknownFlag = (flag: string, lanes: readonly Lane[]): GsdError =>
  new GsdError('USAGE_UNKNOWN_FLAG', `no reviewer lane has the flag ${quote(flag)}`, {
    hint: `write one of ${lanes.flatMap((lane) => lane.flags).join(', ')}`,
  })

const byNames = (lanes: readonly Lane[], names: readonly string[], config: ReviewConfig): Selection => {
  const notes: Diagnostic[] = []
  const found = [...new Set(names)].flatMap((name) => {
    if (config.instances.includes(name)) return [instanceOf(name, lanes, { config, notes })]
    const lane = lanes.find(({ slug }) => slug === name)
    if (lane !== undefined) return [lane]
    const message = `review.default_reviewers names ${quote(name)}, which is no reviewer`
    const hint = `write names of: ${[...lanes.map(({ slug }) => slug), ...config.instances].join(', ')}`
    if (config.instances.length > 0) throw new GsdError('USAGE_BAD_VALUE', message, { hint })
    notes.push(diagnostic('warning', 'STATE_CONFIG_INVALID', message, { hint }))
    return []
  })
  const order = lanes.map(({ slug }) => slug)
  return {
    lanes: found.sort((a, b) => order.indexOf(a.slug) - order.indexOf(b.slug)),
    asserted: new Set(),
    optional: true,
    notes,
  }
}

const instanceOf = (
  name: string,
  lanes: readonly Lane[],
  { config, notes }: { readonly config: ReviewConfig; readonly notes: Diagnostic[] },
): Lane => {
  const key = `review.reviewer_instances.${name}`
  const cli = textValue(config, `${key}.cli`)
  const lane = lanes.find(({ slug }) => slug === cli)
  if (lane === undefined)
    throw new GsdError('USAGE_BAD_VALUE', `${key}.cli is ${quote(cli)}, which is no reviewer lane`, {
      hint: `write one of ${lanes.map(({ slug }) => slug).join(', ')}`,
    })
  const agent = textValue(config, `${key}.agent`)
  if (agent !== null && !takesAgent(lane))
    notes.push(
      diagnostic('warning', 'STATE_CONFIG_INVALID', `${key}.agent is not used: ${quote(lane.slug)} takes no agent`, {
        hint: `remove ${key}.agent`,
      }),
    )
  const model = textValue(config, `${key}.model`) ?? lane.model
  const used = takesAgent(lane) ? agent : null
  const refused = lane.refused ?? optionProblem('model', model) ?? optionProblem('agent', used)
  return { ...lane, name, instance: true, model, agent: used, refused }
}

/** Variables that an agent sets for what it starts, with the slug of its lane. */
const AGENT_VARIABLES: readonly (readonly [variable: string, slug: string])[] = [
  ['CLAUDECODE', 'claude'],
  ['CURSOR_SESSION_ID', 'cursor'],
  ['CURSOR_AGENT', 'cursor'],
  ['CODEX_SANDBOX', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['GEMINI_CLI', 'gemini'],
  ['OPENCODE', 'opencode'],
  ['QWEN_CODE', 'qwen'],
]

const callingAgent = (env: SelectionInput['env']): string | null =>
  AGENT_VARIABLES.find(([variable]) => (env[variable] ?? '') !== '')?.[1] ?? null
