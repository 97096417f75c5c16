import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import { SKILL_LIMITS } from '../limits.ts'
import { allMentions } from './find-mentions.ts'
import { mentionResolver } from './resolve-mention.ts'

/** A message of a conversation, as hosts have it. */
export interface Message {
  readonly role: string
  readonly content: string | readonly MessagePart[]
}

/** A part of a message; only parts with `text` are looked at. */
export interface MessagePart {
  readonly type?: string
  readonly text?: string
}

export interface TurnOptions {
  /** Whose messages are looked at. Default `['user']`. */
  readonly roles?: readonly string[]
  /** How many of their last messages are looked at. Default 1. */
  readonly messages?: number
  /** Most skills a turn may load. Default 8. */
  readonly maxSkillsPerTurn?: number
  /** What happens when there are more: `error` (default) loads nothing, `truncate` keeps the newest mentions. */
  readonly overflow?: 'error' | 'truncate'
}

/** What a turn loads; nothing has been read yet. */
export interface TurnPlan {
  /** In the order of their first mention. */
  readonly ids: readonly string[]
  readonly unknown: readonly UnknownMention[]
  /** What was left out by `truncate`, in the order of their first mention. */
  readonly dropped: readonly string[]
}

export interface UnknownMention {
  readonly mention: string
  /** Up to three ids that may have been meant. */
  readonly suggestions: readonly string[]
}

/**
 * Which skills a turn loads, by the mentions of its messages.
 * @throws GsdError POLICY_SKILLS_PER_TURN when there are too many and `overflow` is `error`; USAGE_BAD_VALUE for options
 *   or messages of the wrong shape
 */
export const planTurn = (
  index: Pick<SkillsIndex, 'entries'>,
  messages: readonly Message[],
  options: TurnOptions = {},
): TurnPlan => {
  const { maxSkillsPerTurn, overflow, roles, count } = checked(options)
  const texts = textsOf(messages).filter(({ role }) => roles.includes(role))
  const mentions = texts.slice(-count).flatMap(({ text }) => allMentions(text))
  const resolver = mentionResolver(index.entries)
  // A map keeps the order of first insertion; the value is where the last mention stands.
  const found = new Map<string, number>()
  const unknown = new Set<string>()
  mentions.forEach((mention, at) => {
    const entry = resolver.find(mention)
    if (entry === null) unknown.add(mention)
    else found.set(entry.id, at)
  })
  const kept = newest(found, maxSkillsPerTurn)
  const dropped = [...found.keys()].filter((id) => !kept.has(id))
  if (dropped.length > 0 && overflow === 'error') throw tooMany([...found.keys()], maxSkillsPerTurn)
  return {
    ids: [...found.keys()].filter((id) => kept.has(id)),
    unknown: [...unknown].map((mention, at) => ({
      mention,
      suggestions: at < SKILL_LIMITS.suggested ? resolver.suggest(mention) : [],
    })),
    dropped,
  }
}

const newest = (found: ReadonlyMap<string, number>, most: number): ReadonlySet<string> =>
  new Set(
    [...found]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([id]) => id),
  )

interface CheckedOptions {
  readonly roles: readonly string[]
  readonly count: number
  readonly maxSkillsPerTurn: number
  readonly overflow: 'error' | 'truncate'
}

const checked = (options: TurnOptions): CheckedOptions => {
  const { roles = ['user'], messages: count = 1, maxSkillsPerTurn = SKILL_LIMITS.perTurn, overflow = 'error' } = options
  if (!Number.isSafeInteger(count) || count < 1) throw badValue('messages', count, 'a whole number from 1')
  if (!Number.isSafeInteger(maxSkillsPerTurn) || maxSkillsPerTurn < 1)
    throw badValue('maxSkillsPerTurn', maxSkillsPerTurn, 'a whole number from 1')
  if (overflow !== 'error' && overflow !== 'truncate') throw badValue('overflow', overflow, '"error" or "truncate"')
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string'))
    throw badValue('roles', roles, 'a list of texts')
  return { roles, count, maxSkillsPerTurn, overflow }
}

const textsOf = (messages: readonly Message[]): readonly { readonly role: string; readonly text: string }[] => {
  if (!Array.isArray(messages)) throw badValue('messages', messages, 'a list of {role, content}')
  return (messages as readonly unknown[]).map((message) => {
    const { role, content } = Object(message) as { role?: unknown; content?: unknown }
    const text = textOf(content)
    if (typeof role === 'string' && text !== null) return { role, text }
    throw badValue('a message', message, '{role, content} with a text or a list of parts')
  })
}

const textOf = (content: unknown): string | null => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  const texts = (content as readonly unknown[]).map((part) => (Object(part) as { text?: unknown }).text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}

const badValue = (name: string, value: unknown, wanted: string): GsdError =>
  new GsdError('USAGE_BAD_VALUE', `${name} is ${quote(value)}`, { hint: `give ${wanted}` })

const tooMany = (ids: readonly string[], most: number): GsdError =>
  new GsdError('POLICY_SKILLS_PER_TURN', `the turn mentions ${ids.length} skills; ${most} may be loaded`, {
    hint: 'mention fewer, raise the limit, or choose the overflow "truncate", which keeps the newest',
    details: { mentioned: ids, maxSkillsPerTurn: most },
  })
