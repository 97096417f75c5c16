import type { CapabilityState, HookState } from '../../loop/state.ts'
import { defineCommand } from '../command.ts'
import type { View } from '../view/view.ts'
import { CONFIG_DIR_FLAG, LOOP_FLAGS } from './loop-flags.ts'

export const capabilityStateCommand = defineCommand({
  noun: 'capability',
  verb: 'state',
  summary: 'Show whether capabilities and their hooks are active, and what stops each.',
  recovers: false,
  args: [{ name: 'id', summary: 'only this capability', optional: true }],
  flags: { ...LOOP_FLAGS, ...CONFIG_DIR_FLAG },
  examples: ['gsd capability state', 'gsd capability state ui --json'],
  async run(context, { args: [id], flags }) {
    const [{ openLoop }, { capabilityStates }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/state.ts'),
    ])
    const { registry, config, runtime, warnings } = await openLoop(context, flags)
    const all = capabilityStates(registry, { id: id ?? null, config, runtime, context })
    const capabilities = all.filter(({ scope }) => flags.scope === undefined || scope === flags.scope)
    return {
      data: { capabilities },
      human: (view) =>
        id === undefined ? table(capabilities, view) : capabilities.map((it) => details(it, view)).join('\n'),
      warnings: [...warnings, ...config.warnings()],
    }
  },
})

const table = (capabilities: readonly CapabilityState[], view: View): string =>
  view.table<CapabilityState>(
    [
      { title: 'id', cell: ({ id }) => id },
      { title: 'scope', cell: ({ scope }) => scope },
      { title: 'active', cell: ({ active }) => (active ? 'yes' : 'no') },
      { title: 'hooks', cell: ({ hooks }) => `${hooks.filter(({ active }) => active).length} of ${hooks.length}` },
      { title: 'reason', cell: ({ reason }) => reason ?? '', cut: true },
    ],
    capabilities,
  )

const details = ({ id, scope, active, reason, hooks }: CapabilityState, view: View): string =>
  [
    `${view.style('bold', id)} (${scope}): ${active ? 'active' : `not active: ${reason ?? ''}`}`,
    ...(hooks.length === 0
      ? ['  it attaches nothing to the loop']
      : [
          view.table<HookState>(
            [
              { title: 'point', cell: ({ point }) => point },
              { title: 'kind', cell: ({ kind }) => kind },
              { title: 'target', cell: ({ target }) => target, cut: true },
              { title: 'configured', cell: ({ configured }) => (configured ? 'yes' : 'no') },
              { title: 'active', cell: (hook) => (hook.active ? 'yes' : 'no') },
              { title: 'reason', cell: (hook) => hook.reason ?? '', cut: true },
            ],
            hooks,
          ),
        ]),
  ].join('\n')
