import { GsdError } from '../../../errors.ts'
import type { Envelope } from '../../../loop/envelope.ts'
import type { Answer } from '../../command.ts'
import { defineCommand } from '../../command.ts'
import { CONFIG_DIR_FLAG, LOOP_FLAGS, RAW_FLAG } from '../loop-flags.ts'

export const loopRender = defineCommand({
  noun: 'loop',
  verb: 'render',
  aliases: ['render-hooks'],
  summary: 'Show the active hooks of a point, and their text as a host may paste it.',
  recovers: false,
  args: [{ name: 'point', summary: 'a point of the loop, such as plan:pre; none with --all', optional: true }],
  flags: {
    ...LOOP_FLAGS,
    ...RAW_FLAG,
    ...CONFIG_DIR_FLAG,
    role: { kind: 'text', value: '<role>', summary: 'only contributions into the prompt of this role' },
    all: { kind: 'switch', summary: 'every point, in the order of the loop' },
    why: { kind: 'switch', summary: 'also the hooks that do not run, and why' },
    'active-cap': {
      kind: 'text',
      value: '<id>',
      summary: 'only say true or false: whether it has an active hook there',
    },
  },
  examples: [
    'gsd loop render plan:pre',
    'gsd loop render plan:pre --role planner',
    'gsd loop render-hooks plan:pre --raw',
  ],
  async run(context, { args: [point], flags }) {
    requireOne(point, flags)
    const [{ openLoop }, { allEnvelopes, envelopeOf }, { lostGateWarning }] = await Promise.all([
      import('./open-loop.ts'),
      import('../../../loop/envelope.ts'),
      import('../../../loop/lost-gates.ts'),
    ])
    const { registry, config, runtime, warnings } = await openLoop(context, flags)
    const question = { config, runtime, role: flags.role ?? null, why: flags.why }
    const envelopes = point === undefined ? allEnvelopes(registry, question) : [envelopeOf(registry, point, question)]
    const lost = envelopes.flatMap((it) => it.lostGates.map((gate) => lostGateWarning(gate, it.point)))
    const all = [...warnings, ...distinct(envelopes), ...lost]
    if (flags['active-cap'] !== undefined) return activeAnswer(envelopes, flags['active-cap'], all, flags.raw)
    const data = point === undefined ? { points: envelopes } : envelopes[0]
    return {
      data,
      human: () =>
        envelopes
          .map((it) => text(it, flags.why))
          .filter((part) => part !== '')
          .join('\n'),
      ...(flags.raw ? { raw: (await import('../../view/raw-json.ts')).rawJson(data) } : {}),
      warnings: all,
    } satisfies Answer
  },
})

/** Whether a capability has an active hook at the point, as a script of GSD Core asks. */
const activeAnswer = (
  envelopes: readonly Envelope[],
  id: string,
  warnings: Answer['warnings'] = [],
  raw = false,
): Answer => {
  const active = envelopes.some(({ activeHooks }) => activeHooks.some(({ capId }) => capId === id))
  const text = `${active}\n`
  return { data: { capId: id, active }, human: () => text, ...(raw ? { raw: text } : {}), warnings }
}

interface Selection {
  readonly all: boolean
  readonly role: string | undefined
  readonly 'active-cap': string | undefined
}

const requireOne = (point: string | undefined, { all, role, 'active-cap': capability }: Selection): void => {
  if (point === undefined && !all)
    throw new GsdError('USAGE_MISSING_ARGUMENT', 'gsd loop render needs <point>', {
      hint: 'name a point, or write --all',
    })
  if (point !== undefined && all)
    throw new GsdError('USAGE_CONFLICT', 'a point and --all contradict each other', { hint: 'give one of them' })
  if (all && role !== undefined)
    throw new GsdError('USAGE_CONFLICT', '--role goes with one point', { hint: 'name a point in place of --all' })
  if (all && capability !== undefined)
    throw new GsdError('USAGE_CONFLICT', '--active-cap goes with one point', { hint: 'name a point in place of --all' })
}

/** The configuration is the same for every point, and what is wrong with it is said once. */
const distinct = (envelopes: readonly Envelope[]) => [
  ...new Map(envelopes.flatMap(({ warnings }) => warnings).map((it) => [JSON.stringify(it), it])).values(),
]

const text = ({ point, rendered, inactiveHooks = [] }: Envelope, why: boolean): string => {
  if (!why) return rendered
  const lines = inactiveHooks.map(({ capId, kind, target, reason }) => `- ${kind} of ${capId} (${target}): ${reason}`)
  return [rendered, ...(lines.length === 0 ? [] : [`Not active at ${point}:`, ...lines, ''])].join('\n')
}
