import { andMore } from '../../abbreviate.ts'
import type { VerifiedRow } from '../../operation/check/verify-capability.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'
import { defineCommand } from '../command.ts'
import type { View } from '../view/view.ts'

export const verify = defineCommand({
  noun: 'capability',
  verb: 'verify',
  summary: 'Compare installed files and host entries with the ledger. Exit 4 where they differ.',
  args: [{ name: 'id', summary: 'an installed capability; default: all', optional: true, many: true }],
  flags: {},
  examples: ['gsd capability verify', 'gsd capability verify my-capability --json'],
  async run(context, { args, flags }) {
    const operation = await import('../../operation/verify.ts')
    const { warnings, unreadable, ...data } = operation.verify(context, { ids: args, scope: flags.scope ?? null })
    const { capabilities, strays } = data
    const ok = strays.length === 0 && capabilities.every((row) => row.ok)
    const human = (view: View): string =>
      text(capabilities, view) || (unreadable === null ? 'nothing is installed' : '')
    return unreadable === null
      ? { data, human, warnings, ...(ok ? {} : { exit: 4 }) }
      : { data, human, warnings, error: unreadable }
  },
})

const text = (rows: readonly VerifiedRow[], view: View): string =>
  rows
    .map((row) =>
      [
        `${row.ok ? view.style('green', 'ok     ') : view.style('red', 'differs')} ${row.id} (${row.scope})`,
        ...lines(row),
      ].join('\n'),
    )
    .join('\n')

const lines = ({ files, moreFiles, hosts }: VerifiedRow): string[] => [
  ...Object.entries(files).flatMap(([kind, names]) =>
    names.map((name) => `  ${wordsOf(kind)} ${formatFileName(name)}`),
  ),
  ...Object.entries(moreFiles).flatMap(([kind, count]) =>
    count === 0 ? [] : [`  ${andMore(count)} ${wordsOf(kind)}`],
  ),
  ...hosts.filter(({ state }) => state !== 'ok').map(({ runtime, file, state }) => `  ${runtime} ${file} ${state}`),
]

const wordsOf = (kind: string): string => (kind === 'lineEndings' ? 'other line endings' : kind)
