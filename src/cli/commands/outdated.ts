import type { OutdatedRow, OutdatedStatus } from '../../operation/outdated.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import type { StyleName, View } from '../view/view.ts'

export const outdated = defineCommand({
  noun: 'capability',
  verb: 'outdated',
  summary: 'Show what update would change, without changing anything.',
  args: [],
  flags: FETCH_FLAGS,
  examples: ['gsd capability outdated', 'gsd capability outdated --scope project --json'],
  async run(context, { flags }) {
    const operation = await import('../../operation/outdated.ts')
    const { rows, error, warnings } = await operation.outdated(context, {
      scope: flags.scope ?? null,
      allowHttp: flags['allow-http'],
    })
    return {
      data: { rows },
      human: (view) => (error !== null && rows.length === 0 ? '' : table(rows, view)),
      warnings,
      ...(error === null ? {} : { error }),
    }
  },
})

const COLOURS = {
  current: 'green',
  outdated: 'yellow',
  moved: 'red',
  pinned: 'dim',
  unreachable: 'red',
} as const satisfies Record<OutdatedStatus, StyleName>

const table = (rows: readonly OutdatedRow[], view: View): string =>
  rows.length === 0
    ? 'nothing is installed'
    : view.table<OutdatedRow>(
        [
          { title: 'id', cell: ({ id }) => id },
          { title: 'scope', cell: ({ scope }) => scope },
          { title: 'installed', cell: ({ current }) => current.version },
          { title: 'wanted', cell: ({ wanted }) => wanted ?? '-' },
          { title: 'latest', cell: ({ latest }) => latest ?? '-' },
          { title: 'status', cell: ({ status }) => status, style: ({ status }) => COLOURS[status] },
          { title: 'reason', cell: ({ reason }) => reason ?? '', cut: true },
        ],
        rows,
      )
