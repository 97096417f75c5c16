import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../helpers/doc-page.ts'

/** Pages of promises: each table row and list item names the test that proves it. */
const PAGES = [
  { name: 'trust', least: 80 },
  { name: 'guarantees', least: 30 },
] as const

/** Sections that say what is not promised. */
const NO_PROMISES = /^(?:What is not promised|What consent does not protect from)$/

/** Text that only leads into a list or table, or to another page. */
const LEADS_ON = /(?::|^See \[.+\.)$/

const TEST_FILE = /^\.\.\/\.\.\/test\/(?:[\w-]+\/)+[\w-]+\.test\.ts$/

const pageOf = (name: string): string => join(ROOT, `docs/explanation/${name}.md`)

/** The paragraphs, list items and table rows of a page, each on one line, without those of sections that promise nothing. */
const statementsOf = (text: string): readonly string[] =>
  text
    .split(/^(?=#{1,6} )/m)
    .filter((section) => !NO_PROMISES.test(/^#+ (.+)/.exec(section)?.[1] ?? ''))
    .flatMap((section) => section.replace(/^#.*\n/, '').split(/\n{2,}/))
    .flatMap((block) =>
      // The first two lines of a table are its head.
      block.trimStart().startsWith('|') ? block.trim().split('\n').slice(2) : block.split(/\n(?=- )/),
    )
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => statement !== '')

const proofOf = (statement: string): { readonly file: string; readonly title: string } | null => {
  const [, file, title] =
    /^\|.*\| \[[^\]]+\]\(([^)]+)\): (.+?) \|$/.exec(statement) ??
    /^- .+ \(\[[^\]]+\]\(([^)]+)\): (.+)\)$/.exec(statement) ??
    []
  return file === undefined || title === undefined ? null : { file, title }
}

describe.each(PAGES)('the page $name', ({ name, least }) => {
  const statements = statementsOf(readFileSync(pageOf(name), 'utf8'))
  const proved = statements.flatMap((statement) => {
    const proof = proofOf(statement)
    return proof === null ? [] : [{ statement, ...proof }]
  })

  it('has promises', () => {
    expect(proved.length).toBeGreaterThanOrEqual(least)
  })

  it('has a test for each paragraph, list item and row that is not only a lead', () => {
    const unproved = statements.filter((statement) => proofOf(statement) === null)
    expect(unproved.filter((statement) => !LEADS_ON.test(statement))).toEqual([])
  })

  it.each(proved)('names a test that exists: $statement', ({ file, title }) => {
    expect(file).toMatch(TEST_FILE)
    const text = readFileSync(join(dirname(pageOf(name)), file), 'utf8')
    const titles = [...text.matchAll(/(?:\b(?:test|describe|it)|\]\)|\))\(\s*(['"`])(.*?)\1,/g)]
    expect(titles.map((found) => found[2] ?? '').filter((each) => each.includes(title))).not.toEqual([])
  })
})
