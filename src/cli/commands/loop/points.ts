import type { HookRow, PointRow } from '../../../loop/point-rows.ts'
import { defineCommand } from '../../command.ts'
import type { View } from '../../view/view.ts'
import { LOOP_FLAGS } from '../loop-flags.ts'

export const loopPoints = defineCommand({
  noun: 'loop',
  verb: 'points',
  summary: 'Show the points of the loop and what is attached to each.',
  recovers: false,
  args: [{ name: 'point', summary: 'only this point, such as plan:pre', optional: true }],
  flags: LOOP_FLAGS,
  examples: ['gsd loop points', 'gsd loop points plan:pre --runtime codex'],
  async run(context, { args: [point], flags }) {
    const [{ openLoop }, { pointRows }] = await Promise.all([
      import('./open-loop.ts'),
      import('../../../loop/point-rows.ts'),
    ])
    const { registry, config, runtime, warnings } = await openLoop(context, flags)
    const points = pointRows(registry, { point: point ?? null, config, runtime })
    return {
      data: { points },
      human: (view) => points.map((row) => text(row, view)).join('\n\n'),
      warnings: [...warnings, ...config.warnings()],
    }
  },
})

const text = ({ point, roles, artifacts, hooks }: PointRow, view: View): string =>
  [
    `${view.style('bold', point)}  roles: ${roles.join(', ')}${artifacts.length === 0 ? '' : `  artefacts: ${artifacts.join(', ')}`}`,
    ...(hooks.length === 0 ? ['  nothing attached'] : [table(hooks, view)]),
  ].join('\n')

const table = (hooks: readonly HookRow[], view: View): string =>
  view.table<HookRow>(
    [
      { title: 'capability', cell: ({ capId }) => capId },
      { title: 'kind', cell: ({ kind }) => kind },
      { title: 'target', cell: ({ target }) => target, cut: true },
      { title: 'active', cell: ({ active }) => (active ? 'yes' : 'no') },
      { title: 'reason', cell: ({ reason }) => reason ?? '', cut: true },
    ],
    hooks,
  )
