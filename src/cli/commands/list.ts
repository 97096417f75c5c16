import { defineCommand } from '../command.ts'

export const list = defineCommand({
  noun: 'capability',
  verb: 'list',
  summary: 'Show first-party capabilities and installed ones, and whether each is active.',
  args: [],
  flags: {},
  examples: ['gsd capability list', 'gsd cap list --scope project --json'],
  async run(context) {
    return { data: { capabilities: [context.cwd] }, human: () => context.cwd }
  },
})
