import type { SwitchAnswer } from '../../operation/switch.ts'
import { defineCommand, type Command } from '../command.ts'
import { plannedLines } from '../view/changes.ts'
import type { View } from '../view/view.ts'

const switchCommand = (to: 'enabled' | 'disabled', summary: string): Command => {
  const verb = to === 'enabled' ? 'enable' : 'disable'
  return defineCommand({
    noun: 'capability',
    verb,
    summary,
    args: [{ name: 'id', summary: 'a first-party or installed capability', many: true }],
    flags: {},
    examples: [`gsd capability ${verb} ui`, `gsd capability ${verb} my-capability --scope project`],
    async run(context, { args, flags }) {
      const [operation, { scopeOfIds }] = await Promise.all([
        import('../../operation/switch.ts'),
        import('../../operation/installed/scope-of-ids.ts'),
      ])
      const scope = flags.scope ?? scopeOfIds(context, args)
      const answer = await operation.switchTo(context, { ids: args, scope, to, dryRun: flags['dry-run'] })
      const { warnings, ...data } = answer
      return { data, human: (view) => text(answer, to, view), warnings }
    },
  })
}

export const enable = switchCommand('enabled', 'Switch capabilities on again, and wire them where they were wired.')
export const disable = switchCommand(
  'disabled',
  'Switch capabilities off, first-party ones too, and take them out of hosts.',
)

const text = ({ switched, unchanged, wired, unwired, plan }: SwitchAnswer, to: string, view: View): string =>
  [
    ...switched.map((id) => `${view.style('green', plan === undefined ? to : `would be ${to}`)} ${id}`),
    ...unchanged.map((id) => `${id} is ${to} already`),
    ...wired.map(({ runtime, file }) => `  wired into ${runtime}: ${file}`),
    ...unwired.map(({ id, file }) => `  took ${id} out of ${file}`),
    ...plannedLines(plan),
  ].join('\n')
