import type { RemoveAnswer } from '../../operation/remove.ts'
import { defineCommand } from '../command.ts'
import { plannedLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

export const remove = defineCommand({
  noun: 'capability',
  verb: 'remove',
  aliases: ['rm', 'uninstall'],
  summary: 'Undo exactly what installing a capability did.',
  args: [{ name: 'id', summary: 'an installed capability', many: true }],
  flags: {
    runtime: { kind: 'text', value: '<id>', summary: 'remove it from this host only' },
    'purge-data': { kind: 'switch', summary: 'also delete files that were added or edited in its folder' },
    force: { kind: 'switch', summary: 'remove it even if something requires it' },
  },
  examples: ['gsd capability remove my-capability', 'gsd capability remove my-capability --runtime claude'],
  async run(context, { args, flags }) {
    const [operation, { scopeOfIds }] = await Promise.all([
      import('../../operation/remove.ts'),
      import('../../state/scope-of-ids.ts'),
    ])
    const dryRun = flags['dry-run']
    const answer = await operation.remove(context, {
      ids: args,
      scope: flags.scope ?? scopeOfIds(context, args),
      runtime: flags.runtime ?? null,
      purgeData: flags['purge-data'],
      force: flags.force,
      dryRun,
    })
    const { warnings, ...data } = answer
    return { data, human: (view) => text(answer, dryRun, view), warnings }
  },
})

const text = ({ removed, unwired, kept, noLongerNeeded, plan }: RemoveAnswer, planned: boolean, view: View): string =>
  [
    ...removed.map(
      ({ id, version, scope }) =>
        `${view.style('green', planned ? 'would remove' : 'removed')} ${id} ${version} (${scope})`,
    ),
    ...unwired.map(({ id, file }) => `  ${planned ? 'would remove' : 'removed'} ${id} from ${file}`),
    ...kept.map(
      (file) =>
        `  ${planned ? 'would keep' : 'kept'} ${file}: it was edited or added after the install (--purge-data deletes it)`,
    ),
    ...(noLongerNeeded.length === 0
      ? []
      : [`no longer required: gsd capability remove ${noLongerNeeded.join(' ')} --scope ${removed[0]?.scope}`]),
    ...plannedLines(plan),
  ].join('\n') || 'nothing to do'
