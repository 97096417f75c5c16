import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SkillEntry } from '../../src/skills/index/entry.ts'
import { parseIndex } from '../../src/skills/index/parse-index.ts'
import { makeSearcher } from '../../src/skills/search/search-index.ts'
import { searchSkills, type SearchOptions } from '../../src/skills/search/search-skills.ts'
import { codeOf } from '../helpers/thrown.ts'
import { measureSearch } from './measure-search.js'
import { entry, REAL_INDEX } from './skills-root.ts'

const indexOf = (entries: readonly SkillEntry[]) => {
  const searcher = makeSearcher(entries)
  return { entries, searcher: () => searcher }
}
const { entries: all } = parseIndex(readFileSync(REAL_INDEX), { mode: 'strict' })
const real = indexOf(all)
const ids = (query: string, options: SearchOptions = {}) =>
  searchSkills(real, query, options).results.map((result) => result.entry.id)

describe('search in the real index', () => {
  it('finds by the words of an id, and by five words of a description, as often as it has to', () => {
    const { idFirst, idInTen, descriptionInTen, queries } = measureSearch(real, searchSkills)
    expect(queries).toBe(1988)
    expect(idFirst).toBeGreaterThanOrEqual(0.95)
    expect(idInTen).toBeGreaterThanOrEqual(0.99)
    expect(descriptionInTen).toBeGreaterThanOrEqual(0.9)
  })

  it.each([
    'brainstorming',
    '@brainstorming',
    'skills/brainstorming',
    'BRAINSTORMING',
    '  brainstorming  ',
    '!!! brainstorming ???',
    'brainstorming\0\n\t',
  ])('finds an exact id first: %j', (query) => {
    expect(ids(query)[0]).toBe('brainstorming')
  })

  it.each(['', '   '])('without words gives all, by id: %j', (query) => {
    const { results, total } = searchSkills(real, query, { limit: 2 })
    expect(total).toBe(1988)
    expect(results.map(({ entry: { id } }) => id)).toEqual(['00-andruia-consultant', '007'])
  })

  it.each(['(', '[a-z', '\\', '*', '++', '"', "'", '%', '…', '🎉', '\ud800', 'x'.repeat(100_000), '.*?+^$'])(
    'answers %j without a fault',
    (query) => expect(searchSkills(real, query).results.length).toBeLessThanOrEqual(10),
  )

  it('finds Chinese text, by any two neighbouring characters of it', () => {
    const chinese = all.find(({ description }) => description.includes('跨平台'))
    expect(ids('跨平台')).toContain(chinese?.id)
  })

  it('finds a word without its accents', () => {
    expect(ids('diagnostica hoja de ruta optima')[0]).toBe('00-andruia-consultant')
  })

  it.each([
    ['risk', ['offensive'], 27],
    ['risk', ['none', 'offensive'], 56],
    ['risk', ['SAFE'], 753],
    ['category', ['security'], 81],
    ['source', ['official'], 14],
  ] as const)('filters by %s %j', (field, values, total) => {
    const found = searchSkills(real, '', { [field]: values, limit: 2000 })
    expect(found.total).toBe(total)
    expect(found.results.every((it) => values.some((value) => value.toLowerCase() === it.entry[field]))).toBe(true)
  })

  it('filters by tags, all of them, and by date', () => {
    const tagged = searchSkills(real, '', { tag: ['security', 'audit'], limit: 2000 }).results
    expect(tagged.length).toBeGreaterThan(0)
    for (const { entry: found } of tagged) expect(found['tags']).toEqual(expect.arrayContaining(['security', 'audit']))
    const newer = searchSkills(real, '', { since: '2026-07-01', limit: 2000 })
    expect(newer.total).toBe(all.filter(({ date_added }) => date_added !== null && date_added >= '2026-07-01').length)
    expect(newer.total).toBeGreaterThan(0)
  })

  it('gives pages that join to the whole, without a skill twice', () => {
    const whole = ids('code', { limit: 2000 })
    const pages = Array.from({ length: Math.ceil(whole.length / 7) }, (_, at) =>
      ids('code', { limit: 7, offset: at * 7 }),
    )
    expect(pages.flat()).toEqual(whole)
    expect(new Set(whole).size).toBe(whole.length)
  })
})

it('skills that match equally well are in the order of their ids', () => {
  const same = ['c', 'a', 'b'].map((id) => entry(id, { description: 'same words' })) as unknown as SkillEntry[]
  expect(searchSkills(indexOf(same), 'same words').results.map((it) => it.entry.id)).toEqual(['a', 'b', 'c'])
})

it('a word in an id counts more than one in a description', () => {
  const entries = [entry('other', { description: 'deploy deploy deploy' }), entry('deploy-app', { description: 'x' })]
  const found = searchSkills(indexOf(entries as unknown as SkillEntry[]), 'deploy')
  expect(found.results[0]?.entry.id).toBe('deploy-app')
})

it.each([{ limit: -1 }, { limit: 1.5 }, { offset: -1 }, { since: 'yesterday' }, { risk: 'safe' }, { tag: [7] }])(
  'the options %j are refused',
  (options) => {
    expect(codeOf(() => searchSkills(real, 'x', options as unknown as SearchOptions))).toBe('USAGE_BAD_VALUE')
  },
)
