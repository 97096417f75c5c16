import type { SetEnabledAnswer } from '../../operation/set-enabled.ts'
import { defineCommand, type Command } from '../command.ts'
import { terminalConsentPrompt } from '../consent-prompt.ts'
import { disclosureLines } from '../view/disclosure.ts'
import { plannedLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

const setEnabledCommand = (status: 'enabled' | 'disabled', summary: string): Command => {
  const verb = status === 'enabled' ? 'enable' : 'disable'
  return defineCommand({
    noun: 'capability',
    verb,
    summary,
    args: [{ name: 'id', summary: 'a first-party or installed capability', many: true }],
    flags: {
      'allow-hidden-unicode': { kind: 'switch', summary: 'allow text with invisible characters' },
    },
    examples: [`gsd capability ${verb} ui`, `gsd capability ${verb} my-capability --scope project`],
    async run(context, { args, flags, terminal }) {
      const [operation, { scopeOfIds }] = await Promise.all([
        import('../../operation/set-enabled.ts'),
        import('../../state/scope-of-ids.ts'),
      ])
      const scope = flags.scope ?? scopeOfIds(context, args)
      const answer = await operation.setEnabled(context, {
        ids: args,
        scope,
        status,
        dryRun: flags['dry-run'],
        allowHidden: flags['allow-hidden-unicode'],
        consentPrompt: terminalConsentPrompt(terminal, flags.yes),
      })
      const { warnings, ...data } = answer
      return { data, human: (view) => text(answer, status, view), warnings }
    },
  })
}

export const enable = setEnabledCommand('enabled', 'Enable capabilities, and wire them into their hosts again.')
export const disable = setEnabledCommand(
  'disabled',
  'Disable capabilities, first-party ones too, and remove them from hosts.',
)

const text = ({ switched, unchanged, wired, unwired, plan }: SetEnabledAnswer, to: string, view: View): string =>
  [
    ...switched.map((id) => `${view.style('green', plan === undefined ? to : `would ${to.slice(0, -1)}`)} ${id}`),
    ...unchanged.map((id) => `${id} is already ${to}`),
    ...wired.map(({ runtime, file }) => `  ${plan === undefined ? 'wired' : 'would wire'} into ${runtime}: ${file}`),
    ...unwired.map(({ id, file }) => `  ${plan === undefined ? 'removed' : 'would remove'} ${id} from ${file}`),
    ...(plan?.disclosures ?? []).flatMap((each) => ['', ...disclosureLines(each)]),
    ...plannedLines(plan),
  ].join('\n')
