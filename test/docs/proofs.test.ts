import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../helpers/doc-page.ts'

/** Pages with a table whose rows name the test that proves them, and the folder of such tests. */
const PAGES = [
  { name: 'trust', tests: /^\.\.\/\.\.\/test\/(?:attacks|properties|e2e)\/[\w-]+\.test\.ts$/, least: 20 },
  { name: 'guarantees', tests: /^\.\.\/\.\.\/test\/(?:[\w-]+\/)+[\w-]+\.test\.ts$/, least: 15 },
] as const

const pageOf = (name: string): string => join(ROOT, `docs/explanation/${name}.md`)

/** Promise, mechanism, test file and test title of each row that ends in a proof. */
const rowsOf = (name: string) =>
  readFileSync(pageOf(name), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter((cells) => cells.length === 5 && /^\[[^\]]+\]\(/.test(cells[3] ?? ''))
    .map(([, claim = '', how = '', proof = '']) => {
      const [, file = '', title = ''] = /^\[[^\]]+\]\(([^)]+)\): (.+)$/.exec(proof) ?? []
      return { claim, how, file, title }
    })

describe.each(PAGES)('the table of $name', ({ name, tests, least }) => {
  const rows = rowsOf(name)

  it('has rows', () => {
    expect(rows.length).toBeGreaterThanOrEqual(least)
  })

  it.each(rows)('names a test that exists: $claim', ({ claim, how, file, title }) => {
    expect(claim).not.toBe('')
    expect(how).not.toBe('')
    expect(title).not.toBe('')
    expect(file).toMatch(tests)
    const text = readFileSync(join(dirname(pageOf(name)), file), 'utf8')
    const titles = [...text.matchAll(/(?:\b(?:test|describe|it)|\]\)|\))\(\s*(['"`])(.*?)\1,/g)]
    expect(titles.map((found) => found[2] ?? '').filter((each) => each.includes(title))).not.toEqual([])
  })
})
