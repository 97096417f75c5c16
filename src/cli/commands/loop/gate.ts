import type { GateReport, GateRow } from '../../../loop/gates/evaluate-gates.ts'
import { defineCommand } from '../../command.ts'
import type { StyleName, View } from '../../view/view.ts'
import { LOOP_FLAGS, PHASE_FLAGS, RAW_FLAG } from '../loop-flags.ts'

export const loopGate = defineCommand({
  noun: 'loop',
  verb: 'gate',
  summary: 'Evaluate the active gates of a point. Exit status 3: the host must stop.',
  recovers: false,
  args: [{ name: 'point', summary: 'a point of the loop, such as ship:pre' }],
  flags: {
    ...LOOP_FLAGS,
    ...PHASE_FLAGS,
    ...RAW_FLAG,
    only: { kind: 'text', value: '<id>', summary: 'only the gates of this capability' },
    strict: { kind: 'switch', summary: 'exit with 3 also when a gate is lost' },
  },
  examples: [
    'gsd loop gate ship:pre --phase-dir .planning/phases/01-setup',
    'gsd loop gate verify:pre --strict --json',
  ],
  async run(context, { args: [point = ''], flags }) {
    const [{ openLoop }, { gatesAt }, { phaseOf }, { lostGateWarning }] = await Promise.all([
      import('./open-loop.ts'),
      import('../../../loop/gates/evaluate-gates.ts'),
      import('../../../loop/phase.ts'),
      import('../../../loop/lost-gates.ts'),
    ])
    const { registry, config, runtime, warnings } = await openLoop(context, flags)
    const phase = phaseOf(
      { phaseDir: flags['phase-dir'], phaseNumber: flags['phase-number'], phaseReqIds: flags['phase-req-ids'] },
      context,
      context.cwd,
    )
    const input = { ...phase, config, env: context.env, signal: context.signal }
    const { warnings: found, ...report } = await gatesAt({ registry, context }, point, {
      input,
      runtime,
      only: flags.only ?? null,
      dryRun: flags['dry-run'],
    })
    const stops = report.blocked || (flags.strict && report.lostGates.length > 0)
    return {
      data: report,
      human: (view) => text(report, view),
      ...(flags.raw ? { raw: (await import('../../view/raw-json.ts')).rawJson(report) } : {}),
      warnings: [...warnings, ...found, ...report.lostGates.map((gate) => lostGateWarning(gate, point))],
      exit: stops ? 3 : 0,
    }
  },
})

const COLOURS = {
  pass: 'green',
  block: 'red',
  error: 'red',
  advisory: 'cyan',
  deferred: 'yellow',
} as const satisfies Record<GateRow['verdict'], StyleName>

const text = ({ point, blocked, gates }: Omit<GateReport, 'warnings'>, view: View): string =>
  [
    ...gates.map(
      ({ verdict, capability, blocking, reason }) =>
        `${view.style(COLOURS[verdict], verdict)} ${capability}${blocking ? ' (blocking)' : ''}: ${reason}`,
    ),
    gates.length === 0 ? `no gate is active at ${point}` : blocked ? `${point} is blocked` : `${point} is not blocked`,
  ].join('\n')
