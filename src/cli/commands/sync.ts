import type { SyncAnswer } from '../../operation/sync.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import { plannedLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

export const sync = defineCommand({
  noun: 'capability',
  verb: 'sync',
  summary: 'Make the disk match the ledger: on a fresh clone, in CI, after an edit.',
  args: [],
  flags: {
    frozen: { kind: 'switch', summary: 'fail if the ledger would change or files were edited' },
    ...FETCH_FLAGS,
    force: { kind: 'switch', summary: 'replace edited files, keeping copies' },
  },
  examples: ['gsd capability sync', 'gsd capability sync --frozen --scope project'],
  async run(context, { flags }) {
    const operation = await import('../../operation/sync.ts')
    const answer = await operation.sync(context, {
      scope: flags.scope ?? null,
      frozen: flags.frozen,
      force: flags.force,
      allowHttp: flags['allow-http'],
      dryRun: flags['dry-run'],
    })
    const { warnings, ...data } = answer
    return { data, human: (view) => text(answer, view), warnings }
  },
})

const text = ({ restored, wired, unchanged, plan }: SyncAnswer, view: View): string =>
  [
    ...restored.map(
      ({ id, scope }) => `${view.style('green', plan === undefined ? 'restored' : 'would restore')} ${id} (${scope})`,
    ),
    ...restored.flatMap(({ keptIn }) => (keptIn === null ? [] : [`  your edited files are kept in ${keptIn}`])),
    ...wired.map(
      ({ id, runtime, file }) =>
        `${view.style('green', plan === undefined ? 'wired' : 'would wire')} ${id} into ${runtime}: ${file}`,
    ),
    ...(unchanged.length === 0 ? [] : [`${unchanged.length} already up to date`]),
    ...plannedLines(plan),
  ].join('\n') || 'the ledger is empty'
