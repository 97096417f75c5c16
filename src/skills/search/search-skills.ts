import { compareUtf8 } from '../../bundle/byte-order.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { SkillEntry } from '../index/entry.ts'
import { isIsoDate } from '../index/iso-date.ts'
import type { SkillsIndex } from '../index/skills-index.ts'
import { SKILL_LIMITS } from '../limits.ts'
import { tagsOf, type Searcher } from './search-index.ts'
import { searchWords } from './search-words.ts'

export interface SearchOptions {
  /** Any of these labels. */
  readonly risk?: readonly string[]
  readonly category?: readonly string[]
  readonly source?: readonly string[]
  /** All of these tags. */
  readonly tag?: readonly string[]
  /** ISO date: only skills added on this day or later; those without a date are left out. */
  readonly since?: string
  /** Most results. Default 10. */
  readonly limit?: number
  /** Results to skip. Default 0. */
  readonly offset?: number
}

export interface SearchResult {
  readonly entry: SkillEntry
  /** Comparable within one answer only; 0 for a query without words. */
  readonly score: number
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[]
  /** Skills found, over all pages. */
  readonly total: number
}

/**
 * Skills by relevance: the exact id first, then the words of the id, then BM25; ties by id. Without words every skill
 * that passes the filters is found, in the order of ids. Labels, categories, sources and tags are compared without case.
 * @throws GsdError USAGE_BAD_VALUE for a filter, limit or offset that cannot be
 */
export const searchSkills = (
  index: Pick<SkillsIndex, 'entries' | 'searcher'>,
  query: string,
  options: SearchOptions = {},
): SearchAnswer => {
  if (typeof query !== 'string') throw badValue('the query', query, 'a text')
  const { limit = 10, offset = 0 } = options
  for (const [name, value] of Object.entries({ limit, offset }))
    if (!Number.isSafeInteger(value) || value < 0) throw badValue(name, value, 'a whole number from 0')
  const passes = filterOf(options)
  const text = query.slice(0, SKILL_LIMITS.query)
  const words = searchWords(text)
  const found = isBlank(text) ? allOf(index.entries, passes) : rank(index, { text, words }, passes)
  const results = found.slice(offset, offset + limit).map(({ entry, score }) => ({ entry, score }))
  return { results, total: found.length }
}

interface Ranked extends SearchResult {
  /** 4 exact id, 3 its words, 2 its words but for plurals, 1 those in any order, 0 the rest. */
  readonly kind: number
}

const isBlank = (text: string): boolean => text.trim() === ''

const allOf = (entries: readonly SkillEntry[], passes: Filter): readonly Ranked[] =>
  entries
    .filter(passes)
    .map((entry) => ({ entry, score: 0, kind: 0 }))
    .sort((a, b) => compareUtf8(a.entry.id, b.entry.id))

interface Query {
  readonly text: string
  readonly words: readonly string[]
}

const rank = (index: Pick<SkillsIndex, 'entries' | 'searcher'>, query: Query, passes: Filter): readonly Ranked[] => {
  const searcher = index.searcher()
  const kindOf = idKinds(searcher, query)
  const ranked: Ranked[] = []
  for (const [doc, score] of searcher.score(query.words)) {
    const entry = index.entries[doc]
    if (entry !== undefined && passes(entry)) ranked.push({ entry, score, kind: kindOf(entry, doc) })
  }
  return ranked.sort((a, b) => b.kind - a.kind || b.score - a.score || compareUtf8(a.entry.id, b.entry.id))
}

const idKinds = ({ idWords }: Searcher, { text, words }: Query): ((entry: SkillEntry, doc: number) => number) => {
  const exact = text
    .trim()
    .replace(/^@/, '')
    .replace(/^skills\//, '')
    .toLowerCase()
  const inOrder = words.join(' ')
  const sorted = words.toSorted().join(' ')
  return (entry, doc) => {
    if (entry.id.toLowerCase() === exact) return 4
    const id = idWords[doc]
    if (id?.inOrder !== inOrder) return id?.sorted === sorted ? 1 : 0
    return spaced(entry.id) === spaced(exact) ? 3 : 2
  }
}

const spaced = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')

type Filter = (entry: SkillEntry) => boolean

const filterOf = ({ risk, category, source, tag, since }: SearchOptions): Filter => {
  const isRisk = oneOf('risk', risk)
  const isCategory = oneOf('category', category)
  const isSource = oneOf('source', source)
  const tags = folded('tag', tag)
  if (since !== undefined && (typeof since !== 'string' || !isIsoDate(since)))
    throw badValue('since', since, 'a date such as 2026-02-27')
  return (entry) =>
    isRisk(entry.risk) &&
    isCategory(entry.category) &&
    isSource(entry.source) &&
    hasAll(entry, tags) &&
    (since === undefined || isSince(entry.date_added, since))
}

const DAY = 'YYYY-MM-DD'.length

const isSince = (date: string | null, since: string): boolean =>
  date !== null && isIsoDate(date) && date.slice(0, DAY) >= since.slice(0, DAY)

const hasAll = (entry: SkillEntry, tags: readonly string[]): boolean => {
  if (tags.length === 0) return true
  const own = new Set(tagsOf(entry).map((tag) => tag.toLowerCase()))
  return tags.every((tag) => own.has(tag))
}

const oneOf = (name: string, wanted: readonly string[] | undefined): ((value: string) => boolean) => {
  const values = new Set(folded(name, wanted))
  return values.size === 0 ? () => true : (value) => values.has(value.toLowerCase())
}

const folded = (name: string, values: readonly string[] | undefined): readonly string[] => {
  const list: unknown = values ?? []
  if (!Array.isArray(list) || list.some((value) => typeof value !== 'string'))
    throw badValue(name, values, 'a list of texts')
  return (list as readonly string[]).map((value) => value.toLowerCase())
}

const badValue = (name: string, value: unknown, wanted: string): GsdError =>
  new GsdError('USAGE_BAD_VALUE', `${name} is ${quote(value)}`, { hint: `give ${wanted}` })
