import { shellQuote } from '../../shell-quote.ts'
import { defineCommand } from '../command.ts'

export const init = defineCommand({
  noun: 'capability',
  verb: 'init',
  summary: 'Scaffold a valid capability, with a README and a test fixture.',
  recovers: false,
  args: [{ name: 'id', summary: 'its id, also the name of its folder' }],
  flags: {
    role: {
      kind: 'choice',
      values: ['feature', 'runtime', 'reviewer'],
      summary: 'kind of capability; default feature',
    },
    dir: { kind: 'text', value: '<dir>', summary: 'folder to create; default ./<id>' },
  },
  examples: ['gsd capability init release-notes', 'gsd capability init my-agent --role runtime'],
  async run(context, { args, flags }) {
    const operation = await import('../../operation/init.ts')
    const answer = operation.init(context, {
      id: args[0] ?? '',
      role: flags.role ?? 'feature',
      dir: flags.dir ?? null,
      dryRun: flags['dry-run'],
    })
    return {
      data: answer,
      human: (view) =>
        [
          `${view.style('green', flags['dry-run'] ? 'would create' : 'created')} ${answer.dir}`,
          ...answer.files.map((file) => `  ${file}`),
          ...(flags['dry-run'] ? [] : [`next: gsd capability validate ${shellQuote(answer.dir)}`]),
        ].join('\n'),
    }
  },
})
