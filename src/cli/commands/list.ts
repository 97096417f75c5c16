import { defineCommand } from '../command.ts'
import { placesOf } from '../../operation/scope-places.ts'
import { capabilityTable } from '../view/capability-table.ts'

export const list = defineCommand({
  noun: 'capability',
  verb: 'list',
  summary: 'Show first-party capabilities and installed ones, and whether each is active.',
  args: [],
  flags: {},
  examples: ['gsd capability list', 'gsd cap list --scope project --json'],
  async run(context, { flags }) {
    const { loadWorld } = await import('../../overlay/load-world.ts')
    const scope = flags.scope === undefined ? null : placesOf(context, flags.scope).scope
    const { rows, warnings } = await loadWorld(context)
    const capabilities = scope === null ? rows : rows.filter((row) => row.scope === scope)
    return { data: { capabilities }, human: (view) => capabilityTable(capabilities, view), warnings }
  },
})
