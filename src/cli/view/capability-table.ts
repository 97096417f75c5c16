import type { Row, Status } from '../../registry/registry.ts'
import type { StyleName } from './style.ts'
import type { Column } from './table.ts'
import type { View } from './view.ts'

const COLOURS = {
  active: 'green',
  disabled: 'dim',
  shadowed: 'dim',
  inactive: 'yellow',
  incompatible: 'yellow',
  collision: 'yellow',
  blocked: 'yellow',
  orphan: 'yellow',
  invalid: 'red',
  missing: 'red',
} as const satisfies Record<Status, StyleName>

const ALWAYS: readonly Column<Row>[] = [
  { title: 'id', cell: (row) => row.id },
  { title: 'version', cell: (row) => row.version },
  { title: 'scope', cell: (row) => row.scope },
  { title: 'status', cell: (row) => row.status, style: (row) => COLOURS[row.status] },
]
const DETAILS: readonly Column<Row>[] = [
  { title: 'role', cell: (row) => row.role },
  { title: 'tier', cell: (row) => row.tier },
  { title: 'title', cell: (row) => row.title, cut: true },
]
const SOURCE: Column<Row> = { title: 'source', cell: (row) => row.source ?? '', cut: true }
const REASON: Column<Row> = { title: 'reason', cell: (row) => row.reason ?? '', cut: true }

/** Capabilities one a line. Columns that would be empty from top to bottom are left out. */
export const capabilityTable = (rows: readonly Row[], view: View): string => {
  if (rows.length === 0) return 'nothing is installed'
  const columns = [
    ...ALWAYS,
    ...(view.verbose ? DETAILS : []),
    ...[SOURCE, REASON].filter((column) => rows.some((row) => column.cell(row) !== '')),
  ]
  return view.table(columns, rows)
}
