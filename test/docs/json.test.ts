import { describe, expect, it } from 'vitest'
import { readPage } from '../helpers/doc-page.ts'

const JSON_BLOCK = /^```json\n(.*?)^```/gms

/** Sections that say what they hold, with the examples in them. */
const sections = readPage('docs/reference/json.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n')[0] ?? '',
    prose: text.replaceAll(JSON_BLOCK, ''),
    answers: [...text.matchAll(JSON_BLOCK)].map((found) => JSON.parse(found[1] ?? '') as { data?: unknown }),
  }))
  .filter(({ prose }) => prose.includes('```ts'))

/** Names of the members of the data, and of its rows. */
const namesIn = (value: unknown, depth: number): string[] => {
  if (typeof value !== 'object' || value === null || depth < 0) return []
  if (Array.isArray(value)) return value.flatMap((item: unknown) => namesIn(item, depth))
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member, depth - 1)])
}

describe('the shapes of --json', () => {
  it.each(sections.map((section) => [section.title, section] as const))(
    '%s lists the members of its examples',
    (_, section) => {
      const names = section.answers.flatMap(({ data }) => namesIn(data, 1))
      expect(names.length).toBeGreaterThan(0)
      expect([...new Set(names)].filter((name) => !COMMON.has(name) && !section.prose.includes(name))).toEqual([])
    },
  )
})

/** Of rows and diagnostics that are described elsewhere on the page. */
const COMMON = new Set(
  'id role version tier title scope status code reason source severity message file line column path hint'.split(' '),
)
