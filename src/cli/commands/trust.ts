import { GsdError } from '../../errors.ts'
import type { TrustAnswer } from '../../operation/plan/plan-trust.ts'
import type { TrustRow } from '../../operation/trust.ts'
import type { Answer } from '../command.ts'
import { defineCommand } from '../command.ts'
import { terminalConsentPrompt } from '../consent-prompt.ts'
import { unknownWordError } from '../suggest.ts'
import { planLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

const ACTIONS = ['list', 'grant', 'revoke'] as const

export const trust = defineCommand({
  noun: 'capability',
  verb: 'trust',
  summary: 'List, grant or revoke your consent to what capabilities run.',
  args: [
    { name: 'list|grant|revoke', summary: 'what to do' },
    { name: 'id', summary: 'an installed capability, for grant and revoke', optional: true, many: true },
  ],
  flags: {
    all: { kind: 'switch', summary: 'grant everything that is installed and not granted' },
    'allow-hidden-unicode': { kind: 'switch', summary: 'allow text with invisible characters' },
  },
  examples: [
    'gsd capability trust list',
    'gsd capability trust grant my-capability',
    'gsd capability trust grant --all',
    'gsd capability trust revoke my-capability',
  ],
  async run(context, { args: [action = '', ...ids], flags, terminal }) {
    const [operation, { scopeOfFolders }] = await Promise.all([
      import('../../operation/trust.ts'),
      import('../../state/scope-of-ids.ts'),
    ])
    if (action !== 'list' && action !== 'grant' && action !== 'revoke') {
      throw unknownWordError(
        'USAGE_UNKNOWN_COMMAND',
        'trust action',
        action,
        ACTIONS,
        (word) => `gsd capability trust ${word}`,
      )
    }
    if (flags.all && (action !== 'grant' || ids.length > 0)) {
      throw new GsdError('USAGE_CONFLICT', '--all goes with trust grant, without ids', {
        hint: 'gsd capability trust grant --all',
      })
    }
    if (action === 'list') {
      if (ids.length > 0)
        throw new GsdError('USAGE_EXTRA_ARGUMENT', 'trust list takes no ids', { hint: 'gsd capability trust list' })
      return listAnswer(operation.listGrants(context))
    }
    if (ids.length === 0 && !flags.all) {
      throw new GsdError('USAGE_MISSING_ARGUMENT', `trust ${action} needs the id of a capability`, {
        hint: 'gsd capability list shows them',
      })
    }
    const request = {
      allowHidden: flags['allow-hidden-unicode'],
      dryRun: flags['dry-run'],
      consentPrompt: terminalConsentPrompt(terminal, flags.yes),
    }
    const answer = flags.all
      ? await operation.grantAll(context, { ...request, scope: flags.scope ?? null })
      : await operation[action](context, { ...request, ids, scope: flags.scope ?? scopeOfFolders(context, ids) })
    const { warnings, ...data } = answer
    return { data, human: (view) => text(answer, action, view), warnings }
  },
})

const listAnswer = (rows: readonly TrustRow[]): Answer => ({
  data: { grants: rows },
  human: (view) =>
    rows.length === 0
      ? 'you have not trusted any capability yet'
      : view.table<TrustRow>(
          [
            { title: 'id', cell: ({ id }) => id },
            { title: 'version', cell: ({ version }) => version },
            { title: 'for', cell: ({ project }) => project ?? 'everywhere (global)', cut: true },
            { title: 'since', cell: ({ granted }) => granted.slice(0, 10) },
          ],
          rows,
        ),
})

const text = (answer: TrustAnswer, action: 'grant' | 'revoke', view: View): string => {
  const { changed, unchanged, wired, unwired, plan } = answer
  const isDone = plan === undefined
  const [verb, past, same] =
    action === 'grant' ? ['trust', 'trusted', 'already trusted'] : ['revoke', 'revoked', 'not trusted']
  return (
    [
      ...changed.map((id) => `${view.style('green', isDone ? past : `would ${verb}`)} ${id}`),
      ...unchanged.map((id) => `${id} is ${same}`),
      ...wired.map(({ runtime, file }) => `  ${isDone ? 'wired' : 'would wire'} into ${runtime}: ${file}`),
      ...unwired.map(({ id, file }) => `  ${isDone ? 'removed' : 'would remove'} ${id} from ${file}`),
      ...(plan === undefined ? [] : planLines(plan, view)),
    ].join('\n') || 'nothing is installed'
  )
}
