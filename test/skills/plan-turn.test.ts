import { describe, expect, it } from 'vitest'
import type { SkillEntry } from '../../src/skills/index/entry.ts'
import { planTurn, type Message } from '../../src/skills/turn/plan-turn.ts'
import { codeOf, thrownBy } from '../helpers/thrown.ts'
import { entry } from './skills-root.ts'

const entries = [
  entry('a'),
  entry('b'),
  entry('c'),
  entry('Mixed'),
  entry('mIxed', { path: 'skills/mixed-2' }),
  entry('Upper'),
  entry('2d-games', { path: 'skills/game-development/2d-games' }),
  entry('brainstorming'),
  entry('angular'),
] as unknown as readonly SkillEntry[]
const user = (content: Message['content']): Message => ({ role: 'user', content })
const plan = (text: string, options = {}) => planTurn({ entries }, [user(text)], options)

describe('a mention in a turn', () => {
  it.each([
    ['@a', ['a']],
    ['@upper', ['Upper']],
    ['@game-development/2d-games', ['2d-games']],
    ['@skills/game-development/2d-games', ['2d-games']],
    ['@skills/a', ['a']],
    ['@skills/2d-games', ['2d-games']],
    ['@Mixed', ['Mixed']],
    ['@a and @A and @skills/a', ['a']],
  ])('%s finds %j', (text, ids) => expect(plan(text).ids).toEqual(ids))

  it.each(['@angular/core', '@MIXED', '@a/b', '@game-development'])('%s finds nothing', (text) => {
    const { ids, unknown } = plan(text)
    expect(ids).toEqual([])
    expect(unknown.map(({ mention }) => mention)).toEqual([text.slice(1)])
  })

  it('that is unknown gets up to three suggestions', () => {
    expect(plan('@brainstormin').unknown).toEqual([{ mention: 'brainstormin', suggestions: ['brainstorming'] }])
    expect(plan('@MIXED').unknown[0]?.suggestions).toEqual(['Mixed', 'mIxed'])
    expect(plan('@zzzzzz').unknown).toEqual([{ mention: 'zzzzzz', suggestions: [] }])
  })
})

describe('the messages of a turn', () => {
  const talk: readonly Message[] = [
    user('@a'),
    { role: 'assistant', content: '@b' },
    user([{ type: 'text', text: '@c' }, { type: 'image' }]),
    { role: 'assistant', content: 'done' },
  ]

  it('are the last one of the user by default', () => {
    expect(planTurn({ entries }, talk).ids).toEqual(['c'])
    expect(planTurn({ entries }, talk, { messages: 2 }).ids).toEqual(['a', 'c'])
    expect(planTurn({ entries }, talk, { messages: 9, roles: ['user', 'assistant'] }).ids).toEqual(['a', 'b', 'c'])
    expect(planTurn({ entries }, []).ids).toEqual([])
  })

  it.each([['text'], [[{ role: 'user' }]], [[null]], [[{ role: 7, content: 'x' }]]])('%j are refused', (messages) => {
    expect(codeOf(() => planTurn({ entries }, messages as unknown as readonly Message[]))).toBe('USAGE_BAD_VALUE')
  })
})

describe('more mentions than a turn may load', () => {
  it('are an error that names them', () => {
    const error = thrownBy(() => plan('@a @b @c', { maxSkillsPerTurn: 2 }))
    expect(error).toMatchObject({ code: 'POLICY_SKILLS_PER_TURN', details: { mentioned: ['a', 'b', 'c'] } })
  })

  it('are cut to the newest when asked', () => {
    const { ids, dropped } = plan('@a @b @c @a', { maxSkillsPerTurn: 2, overflow: 'truncate' })
    expect({ ids, dropped }).toEqual({ ids: ['a', 'c'], dropped: ['b'] })
  })

  it('are nine, by default', () => {
    const many = Array.from({ length: 9 }, (_, at) => entry(`s${at}`)) as unknown as readonly SkillEntry[]
    const text = many.map(({ id }) => `@${id}`).join(' ')
    expect(planTurn({ entries: many.slice(1) }, [user(text)]).ids).toHaveLength(8)
    expect(codeOf(() => planTurn({ entries: many }, [user(text)]))).toBe('POLICY_SKILLS_PER_TURN')
  })

  it.each([0, -1, 1.5, Number.NaN, '3'])('cannot be bounded by %j', (maxSkillsPerTurn) => {
    expect(codeOf(() => plan('@a', { maxSkillsPerTurn }))).toBe('USAGE_BAD_VALUE')
  })
})

it('ten thousand unknown mentions are answered, the first twenty with suggestions', () => {
  const text = Array.from({ length: 10_000 }, (_, at) => `@brainstormin${at}x`).join(' ')
  const { unknown } = plan(text)
  expect(unknown).toHaveLength(10_000)
  expect(unknown.filter(({ suggestions }) => suggestions.length > 0).length).toBeLessThanOrEqual(20)
})
