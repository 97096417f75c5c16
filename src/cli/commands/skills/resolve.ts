import { GsdError } from '../../../errors.ts'
import { quote } from '../../../redact.ts'
import type { ReadSkills } from '../../../skills/bodies/read-skills.ts'
import type { Message, TurnPlan } from '../../../skills/turn/plan-turn.ts'
import { defineCommand } from '../../command.ts'
import { openCatalog } from './open-catalog.ts'
import { ROOT_FLAGS, wholeNumber } from './skills-flags.ts'

export const skillsResolve = defineCommand({
  noun: 'skills',
  verb: 'resolve',
  summary: 'Read the skills that a message mentions as @id, and only those.',
  recovers: false,
  args: [],
  flags: {
    ...ROOT_FLAGS,
    message: { kind: 'text', value: '<text>|-', summary: 'the message; -: JSON on stdin, [{"role", "content"}, …]' },
    role: { kind: 'list', value: '<role>', summary: 'whose messages count (default user)' },
    last: { kind: 'text', value: '<n>', summary: 'how many of their last messages count (default 1)' },
    'max-skills': { kind: 'text', value: '<n>', summary: 'most skills to read (default 8)' },
    overflow: { kind: 'choice', values: ['error', 'truncate'], summary: 'what happens when there are more' },
    'on-error': { kind: 'choice', values: ['throw', 'collect'], summary: 'what happens when one cannot be read' },
  },
  examples: [
    'gsd skills resolve --message "use @brainstorming"',
    'gsd skills resolve --message - --json < messages.json',
  ],
  async run(context, { flags }) {
    const messages = await messagesOf(flags.message)
    const { index, warnings } = await openCatalog(context, flags)
    const [{ planTurn }, { readSkills }] = await Promise.all([
      import('../../../skills/turn/plan-turn.ts'),
      import('../../../skills/bodies/read-skills.ts'),
    ])
    const last = wholeNumber('last', flags.last, 1)
    const maxSkillsPerTurn = wholeNumber('max-skills', flags['max-skills'], 1)
    const plan = planTurn(index, messages, {
      ...(flags.role.length === 0 ? {} : { roles: flags.role }),
      ...(last === undefined ? {} : { messages: last }),
      ...(maxSkillsPerTurn === undefined ? {} : { maxSkillsPerTurn }),
      ...(flags.overflow === undefined ? {} : { overflow: flags.overflow }),
    })
    const { unknown, dropped } = plan
    const read = readSkills(index, plan.ids, flags['on-error'] === undefined ? {} : { onError: flags['on-error'] })
    const { labelUntrusted } = await import('../../../skills/bodies/label-untrusted.ts')
    return {
      data: { ...read, unknown, dropped },
      human: () => [...read.skills.map(labelUntrusted), ...notes(plan, read)].join('\n'),
      warnings: [...warnings, ...read.errors],
    }
  },
})

/** Nothing that a person types is longer. */
const LARGEST_INPUT = 16 * 1024 * 1024

const messagesOf = async (message: string | undefined): Promise<readonly Message[]> => {
  if (message === undefined)
    throw new GsdError('USAGE_MISSING_ARGUMENT', 'gsd skills resolve needs --message', {
      hint: 'gsd skills resolve --message "use @brainstorming"',
    })
  if (message !== '-') return [{ role: 'user', content: message }]
  const text = await readInput()
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    const list: unknown = Array.isArray(value) ? value : (Object(value) as { messages?: unknown }).messages
    if (Array.isArray(list)) return list as readonly Message[]
  } catch {
    // Said below.
  }
  throw new GsdError('USAGE_BAD_VALUE', `stdin is ${quote(text.slice(0, 60))}, not JSON messages`, {
    hint: 'give [{"role": "user", "content": "use @brainstorming"}]',
  })
}

const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > LARGEST_INPUT)
      throw new GsdError('USAGE_BAD_VALUE', `stdin is longer than ${LARGEST_INPUT} bytes`, {
        hint: 'give fewer messages',
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const notes = ({ unknown, dropped }: TurnPlan, { skills }: ReadSkills): readonly string[] => [
  ...unknown.map(({ mention, suggestions }) => {
    const near = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map((id) => `@${id}`).join(', ')}?`
    return `unknown: @${mention}${near}`
  }),
  ...dropped.map((id) => `left out: @${id}`),
  ...(skills.length + unknown.length + dropped.length === 0 ? ['no skill is mentioned'] : []),
]
