import { exitStatusOf, type ExitStatus } from '../../codes.ts'
import { GsdError } from '../../errors.ts'
import type { UpdateAnswer, UpdatedRow } from '../../operation/update.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import { terminalConsentPrompt } from '../consent-prompt.ts'
import { plannedCode, plannedLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

export const update = defineCommand({
  noun: 'capability',
  verb: 'update',
  aliases: ['upgrade'],
  summary: 'Update capabilities from their recorded sources, after showing what changes.',
  args: [{ name: 'id', summary: 'an installed capability', optional: true, many: true }],
  flags: {
    all: {
      kind: 'switch',
      summary: 'everything in the scope; what cannot be fetched or is refused is skipped and reported',
    },
    downgrade: { kind: 'switch', summary: 'take an older version too, if the source now leads back to one' },
    ...FETCH_FLAGS,
    'allow-hidden-unicode': { kind: 'switch', summary: 'allow text with invisible characters' },
    force: { kind: 'switch', summary: 'replace edited files, keeping copies' },
    strict: { kind: 'switch', summary: 'refuse if a host cannot have every part; default: wire the rest' },
  },
  examples: ['gsd capability update my-capability', 'gsd capability update --all --yes'],
  async run(context, { args, flags, terminal }) {
    if (flags.all === args.length > 0) {
      throw new GsdError(
        'USAGE_CONFLICT',
        flags.all ? '--all cannot be combined with ids' : 'name the capabilities to update, or add --all',
        {
          hint: 'gsd capability update --all, or gsd capability update <id>',
        },
      )
    }
    const [operation, { scopeOfIds }] = await Promise.all([
      import('../../operation/update.ts'),
      import('../../state/scope-of-ids.ts'),
    ])
    const answer = await operation.update(context, {
      ids: args,
      scope: flags.scope ?? (flags.all ? 'global' : scopeOfIds(context, args)),
      force: flags.force,
      strict: flags.strict,
      allowHttp: flags['allow-http'],
      downgrade: flags.downgrade,
      allowHidden: flags['allow-hidden-unicode'],
      dryRun: flags['dry-run'],
      consentPrompt: terminalConsentPrompt(terminal, flags.yes),
    })
    const { warnings, ...data } = answer
    return { data, human: (view) => text(answer, view), warnings, ...exitOf(answer) }
  },
})

/** The highest exit status of the skipped capabilities. */
const exitOf = ({ failed }: UpdateAnswer): { readonly exit?: ExitStatus } =>
  failed.reduce<{ readonly exit?: ExitStatus }>(({ exit = 0 }, { error }) => {
    const own = exitStatusOf(error.code)
    return { exit: own > exit ? own : exit }
  }, {})

const text = ({ updated, unchanged, failed, plan }: UpdateAnswer, view: View): string =>
  [
    ...updated.map((row) => rowText(row, plan !== undefined, view)),
    ...unchanged.map((id) => `${id} is up to date`),
    ...failed.map(({ id }) => `${view.style('yellow', 'skipped')} ${id}`),
    ...(plan === undefined ? [] : plannedCode(plan.code, view)),
    ...plannedLines(plan),
  ].join('\n') || 'nothing is installed in this scope'

const rowText = (row: UpdatedRow, planned: boolean, view: View): string => {
  if (row.files.length === 0 && row.from === row.version && !row.surfacesChanged)
    return `${view.style('green', planned ? 'would record' : 'recorded')} ${row.id} ${row.version} (${row.scope}): same content`
  return [
    `${view.style('green', planned ? 'would update' : 'updated')} ${row.id} ${row.from} → ${row.version} (${row.scope})${row.from === row.version ? ': same version, changed content' : ''}`,
    ...(row.surfacesChanged ? ['  what it runs changed'] : []),
    ...row.files.map((file) => `  ${formatFileName(file)}`),
    ...row.notWired.map(({ runtime, reason }) => `  not wired into ${runtime}: ${reason}`),
    ...(row.keptIn === null ? [] : [`  your edited files are kept in ${row.keptIn}`]),
  ].join('\n')
}
