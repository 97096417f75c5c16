import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { Context } from '../../../context.ts'
import { GsdError } from '../../../errors.ts'
import type { ServerAnswer } from '../../../operation/install-server.ts'
import { defineCommand } from '../../command.ts'

export const mcpInstall = defineCommand({
  noun: 'mcp',
  verb: 'install',
  summary: 'Add the MCP server to the settings of a host runtime, or remove it from there.',
  args: [],
  flags: {
    runtime: { kind: 'list', value: '<id>', summary: 'host runtime, such as claude; may be given more than once' },
    'skills-root': { kind: 'list', value: '<dir>', summary: 'folder with skills_index.json that the server reads' },
    remove: { kind: 'switch', summary: 'remove the server from the host' },
  },
  examples: [
    'gsd mcp install --runtime claude --skills-root ./my-skills --yes',
    'gsd mcp install --runtime claude --remove',
  ],
  async run(context, { flags, terminal }) {
    if (flags.runtime.length === 0)
      throw new GsdError('USAGE_MISSING_ARGUMENT', 'gsd mcp install needs --runtime', { hint: 'gsd runtime list' })
    if (flags.remove && flags['skills-root'].length > 0)
      throw new GsdError('USAGE_CONFLICT', '--remove takes no --skills-root', { hint: 'leave it out' })
    const { installServer } = await import('../../../operation/install-server.ts')
    const roots = flags['skills-root'].map((root) => resolve(context.cwd, root))
    const servers: ServerAnswer[] = []
    for (const runtime of new Set(flags.runtime))
      servers.push(
        await installServer(context, {
          runtime,
          scope: flags.scope ?? 'global',
          program: flags.remove ? null : programOf(context, roots),
          dryRun: flags['dry-run'],
          disclose: (text) => terminal.printToStderr(() => text),
          confirm: terminal.confirm === null ? null : () => terminal.confirm?.('Add it?') ?? Promise.resolve(false),
          assumeYes: flags.yes,
        }),
      )
    const [done, would] = flags.remove ? ['removed from', 'would be removed from'] : ['added to', 'would be added to']
    return {
      data: { servers: servers.map(rowOf) },
      human: ({ style }) =>
        servers
          .map(({ runtime, file, changed }) =>
            changed
              ? `${style('green', flags['dry-run'] ? would : done)} ${runtime}: ${file}`
              : `${runtime}: nothing to do`,
          )
          .join('\n'),
      warnings: servers.flatMap(({ warnings }) => warnings),
    }
  },
})

const rowOf = ({ runtime, scope, file, changed, plan }: ServerAnswer): Omit<ServerAnswer, 'warnings'> => ({
  runtime,
  scope,
  file,
  changed,
  ...(plan === undefined ? {} : { plan }),
})

/** `gsd` where the PATH leads to this very program, which survives an update; else this program by its path. */
const programOf = (context: Context, roots: readonly string[]): { command: string; args: readonly string[] } => {
  const args = ['mcp', ...roots.flatMap((root) => ['--skills-root', root])]
  const self = realpathSync(process.argv[1] ?? '')
  const folders = (context.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = folders.map((folder) => join(folder, 'gsd')).find(isProgram)
  if (found !== undefined && realpathSync(found) === self) return { command: 'gsd', args }
  return { command: process.execPath, args: [self, ...args] }
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
