import type { SkillEntry } from '../index/entry.ts'
import { searchWords } from './search-words.ts'

/** Answers which entries hold the words of a query, and how well. */
export interface Searcher {
  /** Score by position in the entries; only entries that hold a word. */
  score(words: readonly string[]): ReadonlyMap<number, number>
  /** Words of the entry's id, joined by blanks; in the order of the id, and sorted. */
  readonly idWords: readonly { readonly inOrder: string; readonly sorted: string }[]
}

/** How much a word counts by where it stands. */
const WEIGHTS = { id: 6, group: 2, description: 1 } as const
/** Saturation and length of BM25. */
const K1 = 1.2
const B = 0.5

interface Posting {
  readonly docs: number[]
  readonly counts: number[]
}

/** BM25 over weighted fields: id and name, then tags and category, then the description. */
export const makeSearcher = (entries: readonly SkillEntry[]): Searcher => {
  const postings = new Map<string, Posting>()
  const lengths = new Float64Array(entries.length)
  const idWords = entries.map((entry, doc) => {
    const id = wordsOf(entry.id)
    const name = entry.name === entry.id ? [] : wordsOf(entry.name)
    const counts = new Map<string, number>()
    add(counts, new Set([...id, ...name]), WEIGHTS.id)
    add(counts, wordsOf(`${entry.category} ${tagsOf(entry).join(' ')}`), WEIGHTS.group)
    add(counts, wordsOf(entry.description), WEIGHTS.description)
    let length = 0
    for (const [word, count] of counts) {
      length += count
      const posting = postings.get(word)
      if (posting === undefined) {
        postings.set(word, { docs: [doc], counts: [count] })
        continue
      }
      posting.docs.push(doc)
      posting.counts.push(count)
    }
    lengths[doc] = length
    return { inOrder: id.join(' '), sorted: id.toSorted().join(' ') }
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, entries.length)
  return { idWords, score: (words) => scoreOf(words, { postings, lengths, average }) }
}

/** Characters of a field that are searched: one hostile description must not fill memory with its words. */
const LONGEST_FIELD = 10_000

const wordsOf = (text: string): readonly string[] => searchWords(text.slice(0, LONGEST_FIELD))

/** Tags of an entry, where it has some. */
export const tagsOf = (entry: SkillEntry): readonly string[] => {
  const tags = entry['tags']
  if (typeof tags === 'string') return [tags]
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : []
}

const add = (counts: Map<string, number>, words: Iterable<string>, weight: number): void => {
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight)
}

interface Statistics {
  readonly postings: ReadonlyMap<string, Posting>
  readonly lengths: Float64Array
  readonly average: number
}

const scoreOf = (words: readonly string[], { postings, lengths, average }: Statistics): ReadonlyMap<number, number> => {
  const scores = new Map<number, number>()
  for (const word of new Set(words)) {
    const posting = postings.get(word)
    if (posting === undefined) continue
    const rarity = Math.log(1 + (lengths.length - posting.docs.length + 0.5) / (posting.docs.length + 0.5))
    posting.docs.forEach((doc, at) => {
      const count = posting.counts[at] ?? 0
      const norm = K1 * (1 - B + (B * (lengths[doc] ?? 0)) / average)
      scores.set(doc, (scores.get(doc) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm))
    })
  }
  return scores
}
