import { GsdError } from '../../errors.ts'
import type { DiffAnswer } from '../../operation/diff.ts'
import { quote } from '../../redact.ts'
import { isCapabilityId } from '../../state/name-rules.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import { codeLines } from '../view/code-text.ts'
import { countText, type View } from '../view/view.ts'

export const diff = defineCommand({
  noun: 'capability',
  verb: 'diff',
  summary: 'Compare an installed capability with its update or with a spec, or two folders. Changes nothing.',
  recovers: false,
  args: [
    { name: 'id|dir', summary: 'an installed capability, or a folder' },
    { name: 'spec|dir', summary: 'what to compare it with; default: what update would install', optional: true },
  ],
  flags: FETCH_FLAGS,
  examples: [
    'gsd capability diff my-capability',
    "gsd capability diff my-capability 'github:owner/repo#v2.0.0'",
    'gsd capability diff ./before ./after',
  ],
  async run(context, { args: [first = '', second], flags }) {
    if (second === undefined && !isCapabilityId(first))
      throw new GsdError('USAGE_MISSING_ARGUMENT', `nothing to compare the folder ${quote(first)} with`, {
        hint: `gsd capability diff ${first} <dir>`,
      })
    const [operation, { scopeOfIds }] = await Promise.all([
      import('../../operation/diff.ts'),
      import('../../state/scope-of-ids.ts'),
    ])
    const answer = await operation.diff(context, {
      first,
      second: second ?? null,
      scope: flags.scope ?? (isCapabilityId(first) ? scopeOfIds(context, [first]) : 'global'),
      allowHttp: flags['allow-http'],
    })
    return {
      data: answer,
      human: (view) => text(answer, isCapabilityId(first) ? `the installed ${quote(first)}` : answer.before, view),
    }
  },
})

const text = ({ after, files, more }: DiffAnswer, before: string, { style }: View): string => {
  if (files.length === 0) return `no difference between ${before} and ${after}`
  return [
    `${before} → ${after}: ${countText(files.length + more, 'file')} changed`,
    ...files.flatMap((file) => codeLines(file, { style, all: true, rest: '' })),
    ...(more > 0 ? [`and ${countText(more, 'more file')}`] : []),
  ].join('\n')
}
