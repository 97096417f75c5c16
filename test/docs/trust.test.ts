import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../helpers/doc-page.ts'

const PAGE = join(ROOT, 'docs/explanation/trust.md')

/** Threat, defence, file of the proof and the title in it, of each row of the table. */
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, threat = '', defence = '', proof = '']) => {
    const [, file = '', title = ''] = /^\[[^\]]+\]\(([^)]+)\): (.+)$/.exec(proof) ?? []
    return { threat, defence, file, title }
  })

describe('the table of threats', () => {
  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(20)
  })

  it.each(rows)('names a test that is there: $threat', ({ threat, defence, file, title }) => {
    expect(threat).not.toBe('')
    expect(defence).not.toBe('')
    expect(file).toMatch(/^\.\.\/\.\.\/test\/attacks\/[\w-]+\.test\.ts$/)
    const titles = [
      ...readFileSync(join(dirname(PAGE), file), 'utf8').matchAll(
        /(?:\b(?:test|describe|it)|\]\)|\))\(\s*(['"`])(.*?)\1,/g,
      ),
    ].map((found) => found[2] ?? '')
    expect(titles.filter((each) => each.includes(title))).not.toEqual([])
  })
})
