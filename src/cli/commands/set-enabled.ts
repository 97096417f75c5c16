import type { SetEnabledAnswer } from '../../operation/set-enabled.ts'
import { defineCommand, type Command } from '../command.ts'
import { plannedLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

const setEnabledCommand = (status: 'enabled' | 'disabled', summary: string): Command => {
  const verb = status === 'enabled' ? 'enable' : 'disable'
  return defineCommand({
    noun: 'capability',
    verb,
    summary,
    args: [{ name: 'id', summary: 'a first-party or installed capability', many: true }],
    flags: {},
    examples: [`gsd capability ${verb} ui`, `gsd capability ${verb} my-capability --scope project`],
    async run(context, { args, flags }) {
      const [operation, { scopeOfIds }] = await Promise.all([
        import('../../operation/set-enabled.ts'),
        import('../../state/scope-of-ids.ts'),
      ])
      const scope = flags.scope ?? scopeOfIds(context, args)
      const answer = await operation.setEnabled(context, { ids: args, scope, status, dryRun: flags['dry-run'] })
      const { warnings, ...data } = answer
      return { data, human: (view) => text(answer, status, view), warnings }
    },
  })
}

export const enable = setEnabledCommand('enabled', 'Switch capabilities on again, and wire them where they were wired.')
export const disable = setEnabledCommand(
  'disabled',
  'Switch capabilities off, first-party ones too, and take them out of hosts.',
)

const text = ({ switched, unchanged, wired, unwired, plan }: SetEnabledAnswer, to: string, view: View): string =>
  [
    ...switched.map((id) => `${view.style('green', plan === undefined ? to : `would be ${to}`)} ${id}`),
    ...unchanged.map((id) => `${id} is ${to} already`),
    ...wired.map(({ runtime, file }) => `  wired into ${runtime}: ${file}`),
    ...unwired.map(({ id, file }) => `  took ${id} out of ${file}`),
    ...plannedLines(plan),
  ].join('\n')
