import { resolve } from 'node:path'
import type { Context } from '../../../context.ts'
import type { Diagnostic } from '../../../diagnostic.ts'
import { GsdError } from '../../../errors.ts'
import { quote } from '../../../redact.ts'
import type { StackDiff } from '../../../skills/stack/diff-stacks.ts'
import type { Stack } from '../../../skills/stack/stack.ts'
import type { Answer, Invocation } from '../../command.ts'
import { defineCommand } from '../../command.ts'
import { unknownWordError } from '../../suggest.ts'
import { diagnosticText } from '../../view/diagnostic-text.ts'
import { countText, type View } from '../../view/view.ts'
import { openCatalog } from './open-catalog.ts'
import { ROOT_FLAGS } from './skills-flags.ts'

const FLAGS = {
  ...ROOT_FLAGS,
  'allow-risk': { kind: 'list', value: '<label>', summary: 'compose: only these risks' },
  'deny-risk': { kind: 'list', value: '<label>', summary: 'compose: none of these risks' },
  'allow-source': {
    kind: 'list',
    value: '<name>',
    summary: 'compose: only these sources; a final * stands for any ending',
  },
  'deny-source': { kind: 'list', value: '<name>', summary: 'compose: none of these sources' },
} as const

type StackInvocation = Invocation<typeof FLAGS>

export const skillsStack = defineCommand({
  noun: 'skills',
  verb: 'stack',
  summary: 'Compose, check and compare chosen skills: exact ids, policy, catalog and content.',
  recovers: false,
  args: [
    { name: 'compose|check|diff', summary: 'what to do' },
    {
      name: 'id|file',
      summary: 'ids to compose, the file to check, or two files to compare',
      optional: true,
      many: true,
    },
  ],
  flags: FLAGS,
  examples: [
    'gsd skills stack compose brainstorming code-review --deny-risk offensive > stack.json',
    'gsd skills stack check stack.json',
    'gsd skills stack diff stack.json new-stack.json',
  ],
  async run(context, invocation) {
    const [action = '', ...rest] = invocation.args
    if (action !== 'compose' && action !== 'check' && action !== 'diff')
      throw unknownWordError(
        'USAGE_UNKNOWN_COMMAND',
        'word after stack:',
        action,
        Object.keys(ACTIONS),
        (word) => `gsd skills stack ${word}`,
      )
    const wanted = COUNTS[action]
    if (rest.length < wanted.least) throw missing(action, wanted.words)
    if (rest.length > wanted.most)
      throw new GsdError('USAGE_EXTRA_ARGUMENT', `stack ${action} takes ${wanted.words}`, {
        hint: 'gsd skills stack --help',
      })
    return await ACTIONS[action](context, rest, invocation.flags)
  },
})

const COUNTS = {
  compose: { least: 1, most: Infinity, words: 'the ids of skills' },
  check: { least: 1, most: 1, words: 'one file' },
  diff: { least: 2, most: 2, words: 'two files' },
} as const

const missing = (action: string, words: string): GsdError =>
  new GsdError('USAGE_MISSING_ARGUMENT', `stack ${action} needs ${words}`, { hint: 'gsd skills stack --help' })

type Action = (context: Context, args: readonly string[], flags: StackInvocation['flags']) => Promise<Answer>

const compose: Action = async (context, ids, flags) => {
  const { index, warnings } = await openCatalog(context, flags)
  const { composeStack } = await import('../../../skills/stack/check-stack.ts')
  const { formatStack } = await import('../../../skills/stack/stack.ts')
  const policy = Object.fromEntries(
    (['allow-risk', 'deny-risk', 'allow-source', 'deny-source'] as const).flatMap((flag) =>
      flags[flag].length === 0 ? [] : [[flag.replace('-', '_'), flags[flag]]],
    ),
  )
  const { stack, findings } = composeStack(index, ids, policy)
  const [first] = findings
  if (first !== undefined) throw refused(first.message, findings, 'the stack is not composed')
  return { data: stack, human: () => formatStack(stack), warnings }
}

const check: Action = async (context, [file = ''], flags) => {
  const stack = await readStack(context, file)
  const { index, warnings } = await openCatalog(context, flags)
  const { checkStack } = await import('../../../skills/stack/check-stack.ts')
  const findings = checkStack(index, stack)
  return {
    data: { file, skills: stack.skills.length, diagnostics: findings },
    human: (view) =>
      findings.length === 0
        ? `${view.style('green', 'valid')} ${countText(stack.skills.length, 'skill')}`
        : findings.map((finding) => diagnosticText(finding, view)).join('\n'),
    warnings,
    ...(findings.length === 0
      ? {}
      : { error: refused(`${countText(findings.length, 'error')} found`, [], 'see above') }),
  }
}

const diff: Action = async (context, [before = '', after = '']) => {
  const { diffStacks } = await import('../../../skills/stack/diff-stacks.ts')
  const found = diffStacks(await readStack(context, before), await readStack(context, after))
  return { data: found, human: (view) => diffText(found, view) }
}

const ACTIONS = { compose, check, diff } as const satisfies Record<keyof typeof COUNTS, Action>

const refused = (message: string, findings: readonly Diagnostic[], words: string): GsdError =>
  new GsdError('MANIFEST_SKILL_STACK', `${words}: ${message}`, {
    hint: 'choose other skills, or change the policy',
    ...(findings.length === 0 ? {} : { details: { diagnostics: findings } }),
  })

const readStack = async (context: Context, file: string): Promise<Stack> => {
  const [{ parseStack }, { SKILL_LIMITS }, { readTextFile }] = await Promise.all([
    import('../../../skills/stack/stack.ts'),
    import('../../../skills/limits.ts'),
    import('../../../platform/text-file.ts'),
  ])
  const path = resolve(context.cwd, file)
  const found = readTextFile(path, SKILL_LIMITS.stack)
  if (found.state === 'ok') return parseStack(Buffer.from(found.text), file)
  const words = found.state === 'absent' ? 'is not there' : `cannot be read: ${found.reason}`
  throw new GsdError('MANIFEST_SKILL_STACK', `${quote(file)} ${words}`, {
    hint: 'gsd skills stack compose <id>… writes one',
  })
}

const diffText = ({ added, removed, changed, unchanged }: StackDiff, view: View): string =>
  [
    ...added.map((id) => view.style('green', `+ ${id}`)),
    ...removed.map((id) => view.style('red', `- ${id}`)),
    ...changed.map(({ id, fields }) => view.style('yellow', `~ ${id} (${fields.join(', ')})`)),
    `${countText(unchanged.length, 'skill')} unchanged`,
  ].join('\n')
