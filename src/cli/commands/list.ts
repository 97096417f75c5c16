import { existsSync } from 'node:fs'
import { scopePathsOf, scopesOf } from '../../state/config/resolve-paths.ts'
import { defineCommand } from '../command.ts'
import { capabilityTable } from '../view/capability-table.ts'

export const list = defineCommand({
  noun: 'capability',
  verb: 'list',
  summary: 'Show first-party capabilities and installed ones, and whether each is active.',
  args: [],
  flags: {
    tier: {
      kind: 'choice',
      values: ['core', 'standard', 'full'],
      summary: 'only what an install profile of this tier holds, with what that requires',
    },
  },
  examples: ['gsd capability list', 'gsd cap list --scope project --json'],
  async run(context, { flags }) {
    const { loadRegistryFor: loadWorld } = await import('../../overlay/load-registry.ts')
    const scope = flags.scope === undefined ? null : scopePathsOf(context, flags.scope).scope
    const world = await loadWorld(context)
    const { registry, rows, warnings } = world
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
        : (await import('../../operation/check/wired-warnings.ts')).wiredWarnings(context, wired, world)
    return {
      data: { capabilities },
      human: (view) => capabilityTable(capabilities, view),
      warnings: [...warnings, ...more],
    }
  },
})
