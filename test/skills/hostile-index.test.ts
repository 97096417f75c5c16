import { describe, expect, it } from 'vitest'
import type { SkillEntry } from '../../src/skills/index/entry.ts'
import { parseIndex } from '../../src/skills/index/parse-index.ts'
import { makeSearcher } from '../../src/skills/search/search-index.ts'
import { searchSkills } from '../../src/skills/search/search-skills.ts'
import { planTurn } from '../../src/skills/turn/plan-turn.ts'
import { entry } from './skills-root.ts'

const read = (entries: readonly unknown[]) => parseIndex(Buffer.from(JSON.stringify(entries)), { mode: 'compat' })
const searchable = (entries: readonly SkillEntry[]) => {
  const searcher = makeSearcher(entries)
  return { entries, searcher: () => searcher }
}

describe('an index made to hurt', () => {
  it('with one description of eight million words is searched by its beginning', () => {
    const { entries } = read([
      entry('a', { description: 'first '.concat('word '.repeat(2_500_000), 'last') }),
      entry('b'),
    ])
    expect(searchSkills(searchable(entries), 'first').total).toBe(1)
    expect(searchSkills(searchable(entries), 'last').total).toBe(0)
  })

  it('with a hundred thousand entries is read, searched and resolved', () => {
    const small = { category: '', name: '', description: '', risk: '', source: '', date_added: null }
    const { entries, findings } = read(
      Array.from({ length: 100_000 }, (_, at) => ({ id: `s${at}`, path: `skills/s${at}`, ...small })),
    )
    expect(entries).toHaveLength(100_000)
    expect(findings).toHaveLength(201)
    expect(searchSkills(searchable(entries), 's99999').results[0]?.entry.id).toBe('s99999')
    expect(planTurn({ entries }, [{ role: 'user', content: '@s7 and @x7' }]).ids).toEqual(['s7'])
  })

  it('with members that change prototypes changes none', () => {
    const text = JSON.stringify([entry('a')]).replace(
      '{',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{}},',
    )
    const { entries } = parseIndex(Buffer.from(text), { mode: 'compat' })
    expect(entries).toHaveLength(1)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('with tags that are no texts is searched by those that are', () => {
    const { entries } = read([
      entry('a', { tags: [null, 7, {}, 'good', ['x']] }),
      entry('b', { tags: 'alone' }),
      entry('c', { tags: 7 }),
    ])
    expect(searchSkills(searchable(entries), '', { tag: ['good'] }).total).toBe(1)
    expect(searchSkills(searchable(entries), '', { tag: ['alone'] }).total).toBe(1)
  })
})
