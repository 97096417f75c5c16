import type { RuntimeRow } from '../../operation/runtimes.ts'
import { defineCommand } from '../command.ts'
import type { View } from '../view/view.ts'

export const runtimeList = defineCommand({
  noun: 'runtime',
  verb: 'list',
  aliases: ['ls'],
  summary: 'Show which host runtimes are on this machine and in this project.',
  args: [],
  flags: {},
  examples: ['gsd runtime list', 'gsd runtime list --json'],
  async run(context) {
    const { runtimes, warnings } = await (await import('../../operation/runtimes.ts')).runtimes(context)
    return { data: { runtimes }, human: (view) => table(runtimes, view), warnings }
  },
})

export const runtimeWhere = defineCommand({
  noun: 'runtime',
  verb: 'where',
  summary: 'Show the folders and files of a host runtime, resolved for this machine and project.',
  args: [{ name: 'id', summary: 'a host runtime, such as claude' }],
  flags: {},
  examples: ['gsd runtime where claude', 'gsd runtime where codex --json'],
  async run(context, { args }) {
    const row = await (await import('../../operation/runtimes.ts')).runtimeRow(context, args[0] ?? '')
    return { data: row, human: () => details(row) }
  },
})

const table = (rows: readonly RuntimeRow[], view: View): string =>
  view.table<RuntimeRow>(
    [
      { title: 'id', cell: ({ id }) => id },
      {
        title: 'found',
        cell: ({ found }) => [...(found.home ? ['home'] : []), ...(found.project ? ['project'] : [])].join(', ') || '-',
      },
      { title: 'home', cell: ({ home }) => home ?? '-', cut: true },
      { title: 'hooks', cell: ({ hooks }) => (hooks.reason === null ? hooks.surface : 'none') },
      { title: 'MCP', cell: ({ mcpServers }) => (mcpServers.reason === null ? 'yes' : 'no') },
      { title: 'skills', cell: ({ global, project: own }) => (global.length + own.length > 0 ? 'yes' : 'no') },
    ],
    rows,
  )

const details = ({ id, title, home, local, skills, global, project, hooks, mcpServers }: RuntimeRow): string =>
  [
    `${id}  ${title}`,
    ...line('home', home),
    ...line('project folder', local),
    ...line('skills', skills),
    ...line('hooks (global)', hooks.global),
    ...line('hooks (project)', hooks.project),
    ...line('hooks', hooks.reason),
    ...line('MCP servers (global)', mcpServers.global),
    ...line('MCP servers (project)', mcpServers.project),
    ...line('MCP servers', mcpServers.reason),
    ...global.map(({ kind, folder, prefix }) => `  ${kind} (global): ${folder}/${prefix}…`),
    ...project.map(({ kind, folder, prefix }) => `  ${kind} (project): ${folder}/${prefix}…`),
  ].join('\n')

const line = (name: string, value: string | null): string[] => (value === null ? [] : [`  ${name}: ${value}`])
