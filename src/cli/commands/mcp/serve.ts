import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../../../context.ts'
import { GsdError } from '../../../errors.ts'
import { defineCommand } from '../../command.ts'

export const mcpServe = defineCommand({
  noun: 'mcp',
  verb: 'serve',
  summary: 'Serve skills and capabilities to an agent over MCP on stdio; it only reads.',
  recovers: false,
  helpOnTerminal: true,
  args: [],
  flags: {
    'skills-root': {
      kind: 'list',
      value: '<dir>',
      summary: 'folder with skills_index.json; may be given more than once',
    },
  },
  examples: ['gsd mcp --skills-root ./my-skills', 'gsd mcp serve'],
  async run(context, { flags }) {
    if (flags.json)
      throw new GsdError('USAGE_CONFLICT', '--json cannot go with gsd mcp: stdout is for the protocol', {
        hint: 'gsd mcp',
      })
    const { serve } = await import('../../../mcp/serve.ts')
    const roots = rootsOf(context, flags['skills-root'])
    await serve({ context, roots, input: process.stdin, output: process.stdout })
    return { data: null, human: () => '' }
  },
})

/** The roots that were named; else SKILLS_ROOT; else the working directory where it holds an index. */
const rootsOf = (context: Context, named: readonly string[]): readonly string[] => {
  const given = named.length > 0 ? named : [context.env['SKILLS_ROOT']?.trim() ?? ''].filter((root) => root !== '')
  if (given.length > 0) return given.map((root) => resolve(context.cwd, root))
  return existsSync(join(context.cwd, 'skills_index.json')) ? [context.cwd] : []
}
