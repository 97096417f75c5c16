import { existsSync } from 'node:fs'
import { abbreviateFindings } from '../../abbreviate.ts'
import type { Row, Status } from '../../registry/registry.ts'
import { scopePathsOf, scopesOf } from '../../state/config/resolve-paths.ts'
import { defineCommand } from '../command.ts'
import type { Column, StyleName, View } from '../view/view.ts'

export const list = defineCommand({
  noun: 'capability',
  verb: 'list',
  aliases: ['ls'],
  summary: 'Show first-party capabilities and installed ones, and whether each is active.',
  args: [],
  flags: {
    tier: {
      kind: 'choice',
      values: ['core', 'standard', 'full'],
      summary: 'only the install profile of this tier, with what it requires',
    },
  },
  examples: ['gsd capability list', 'gsd cap list --scope project --json'],
  async run(context, { flags }) {
    const { loadRegistryFor } = await import('../../overlay/load-registry.ts')
    const scope = flags.scope === undefined ? null : scopePathsOf(context, flags.scope).scope
    const loaded = await loadRegistryFor(context, { usesSnapshot: true })
    const { registry, rows, warnings } = loaded
    const profile = flags.tier === undefined ? null : new Set(registry.profile(flags.tier))
    const capabilities = rows.filter(
      (row) =>
        (scope === null || row.scope === scope) &&
        (profile === null || (row.status === 'active' && profile.has(row.id))),
    )
    const wired = scopesOf(context).filter((paths) => !paths.trusted && existsSync(paths.hosts))
    const more =
      wired.length === 0
        ? []
        : (await import('../../operation/check/orphan-wirings.ts')).wiredWarnings(context, wired, loaded)
    return {
      data: { capabilities },
      human: (view) => capabilityTable(capabilities, view),
      warnings: [...warnings, ...abbreviateFindings(more)],
    }
  },
})

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
const HOSTS: Column<Row> = { title: 'hosts', cell: (row) => row.hosts.join(', ') }
const SOURCE: Column<Row> = { title: 'source', cell: (row) => row.source ?? '', cut: true }
const REASON: Column<Row> = { title: 'reason', cell: (row) => row.reason ?? '', cut: true }

/** One capability a line. Empty columns are left out. */
export const capabilityTable = (rows: readonly Row[], view: View): string => {
  if (rows.length === 0) return 'nothing is installed'
  const columns = [
    ...ALWAYS,
    ...(view.verbose ? DETAILS : []),
    ...[HOSTS, SOURCE, REASON].filter((column) => rows.some((row) => column.cell(row) !== '')),
  ]
  return view.table(columns, rows)
}
