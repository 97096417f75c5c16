import type { CapabilityDetails, InfoAnswer, PreviewOptions } from '../../operation/info.ts'
import type { PolicyView } from '../../operation/policy-view.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import { codeLines } from '../view/code-text.ts'
import { disclosureLines } from '../view/disclosure.ts'
import type { View } from '../view/view.ts'
import { capabilityTable } from './list.ts'

export const info = defineCommand({
  noun: 'capability',
  verb: 'info',
  aliases: ['show'],
  summary: 'Show what an installed capability is, or what a spec would install. Changes nothing.',
  recovers: false,
  args: [{ name: 'id|spec', summary: 'an installed capability, or a spec' }],
  flags: {
    integrity: { kind: 'text', value: '<sha512-…>', summary: 'sha512 the archive of a spec must have' },
    downgrade: {
      kind: 'switch',
      negatable: true,
      summary: 'show an older version that fits this GSD, even if the spec pins one; --no-downgrade: never',
    },
    ...FETCH_FLAGS,
    files: { kind: 'switch', summary: 'show the text of every file' },
  },
  examples: ['gsd capability info ui', 'gsd capability info ./my-capability --files'],
  async run(context, { args, flags }) {
    const operation = await import('../../operation/info.ts')
    const answer = await operation.info(context, {
      target: args[0] ?? '',
      scope: flags.scope ?? null,
      files: flags.files,
      ...(isForSpec(flags) ? { preview: previewOf(flags) } : {}),
    })
    const { warnings, ...data } = answer
    return { data, human: (view) => text(answer, view), warnings }
  },
})

interface PreviewFlags {
  readonly integrity: string | undefined
  readonly downgrade: boolean | undefined
  readonly 'allow-http': boolean
}

/** Whether a flag was given that says nothing about an installed capability. */
const isForSpec = ({ integrity, downgrade, 'allow-http': allowHttp }: PreviewFlags): boolean =>
  integrity !== undefined || downgrade !== undefined || allowHttp

const previewOf = ({ integrity, downgrade, 'allow-http': allowHttp }: PreviewFlags): PreviewOptions => ({
  integrity: integrity ?? null,
  downgrade: downgrade ?? null,
  allowHttp,
})

const text = ({ asked, rows, details, policy }: InfoAnswer, view: View): string =>
  [
    ...(asked === 'id'
      ? [capabilityTable(rows, view), '']
      : [view.style('bold', policy?.allowed === false ? 'would install nothing:' : 'would install:')]),
    ...details.map((each) => detailsText(each, view)),
    ...(policy === null ? [] : policyLines(policy)),
  ].join('\n')

const detailsText = (details: CapabilityDetails, { style }: View): string =>
  [
    ...disclosureLines(details),
    ...(details.policy === null ? [] : policyLines(details.policy)),
    ...(details.fileList.length === 0 ? [] : ['  files:']),
    ...details.fileList.map(
      ({ path, size, executable }) => `    ${formatFileName(path)}  ${size} bytes${executable ? ', executable' : ''}`,
    ),
    ...(details.texts ?? []).flatMap((file) => codeLines(file, { style, all: true, rest: '' })),
  ].join('\n')

const policyLines = ({ external, allowed, reason, lists }: PolicyView): string[] => {
  if (!external) return ['  policy: does not apply, the source is on this machine']
  if (lists.length === 0) return ['  policy: no list, so every source is allowed']
  return [
    `  policy: ${allowed ? 'allowed' : `refused; ${reason ?? ''}`}`,
    ...lists.map(({ origin, file }) => `    list: ${file} (${origin})`),
  ]
}
