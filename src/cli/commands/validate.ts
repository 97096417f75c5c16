import type { Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { ValidateAnswer } from '../../operation/validate.ts'
import { defineCommand } from '../command.ts'
import { diagnosticText, sourceExcerpt, splitLines } from '../view/diagnostic-text.ts'
import type { View } from '../view/view.ts'

export const validate = defineCommand({
  noun: 'capability',
  verb: 'validate',
  summary: 'Check capabilities against every rule, without installing them.',
  recovers: false,
  args: [{ name: 'path', summary: 'a folder, a capability.json or an archive', many: true }],
  flags: {},
  examples: ['gsd capability validate ./my-capability', 'gsd capability validate ./a ./b.tgz --json'],
  async run(context, { args }) {
    const operation = await import('../../operation/validate.ts')
    const answer = await operation.validate(context, args)
    const faults = answer.files
      .flatMap(({ diagnostics }) => diagnostics)
      .filter(({ severity }) => severity === 'error').length
    return {
      data: { files: answer.files },
      human: (view) => text(answer, view),
      ...(faults === 0 ? {} : { error: failed(faults) }),
    }
  },
})

const failed = (faults: number): GsdError =>
  new GsdError('VALIDATION_FAILED', `${faults} error${faults === 1 ? '' : 's'} found`, {
    hint: 'each is listed above with its fix',
  })

const text = ({ files, texts }: ValidateAnswer, view: View): string =>
  files
    .map(({ file, id, diagnostics }) => {
      const source = texts.get(file)
      const lines = source === undefined ? null : splitLines(source)
      return diagnostics.length === 0
        ? `${view.style('green', 'valid')} ${file}${id === null ? '' : ` (${id})`}`
        : [view.style('bold', file), ...diagnostics.flatMap((finding) => findingLines(finding, lines, view))].join('\n')
    })
    .join('\n')

const findingLines = (finding: Diagnostic, source: readonly string[] | null, view: View): string[] => [
  diagnosticText(finding, view),
  ...(source === null || finding.line === undefined || isOfSecret(finding)
    ? []
    : sourceExcerpt(source, finding.line, finding.column ?? 1, view.width)),
]

/** The line would print the secret. */
const isOfSecret = ({ code }: Diagnostic): boolean => code === 'MANIFEST_SECRET' || code === 'MANIFEST_MCP_SECRET'
