import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from '../../src/cli/parse.ts'

const ROOT = join(import.meta.dirname, '../..')

const pages = (): string[] => [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md']
    .map((file) => join(ROOT, file))
    .filter((file) => existsSync(file)),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(ROOT, 'docs', file)),
]

const FENCE = /^ *```.*?^ *```/gms
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

/** The anchor that a heading gets where Markdown is shown on the web. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll('`', '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsIn = (page: string): string[] =>
  [
    ...readFileSync(page, 'utf8')
      .replaceAll(FENCE, '')
      .matchAll(/^#+ +(.+)$/gm),
  ].map((found) => anchorOf(found[1] ?? ''))

const brokenLinks = (page: string): string[] =>
  [...readFileSync(page, 'utf8').replaceAll(FENCE, '').matchAll(LINK)]
    .map((found) => found[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      return !existsSync(file) || (anchor !== undefined && !anchorsIn(file).includes(anchor))
    })

/** Lines of code blocks that call the program, without the prompt. */
const commandLines = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(FENCE)].flatMap(([block]) =>
    block
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^\$ /, ''))
      .filter((line) => line.startsWith('gsd ') && !/[<[…|]/.test(line)),
  )

/** Words of a simple shell line: quotes and comments, nothing more. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ +# .*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  )

describe.each(pages().map((page) => [relative(ROOT, page), page] as const))('%s', (_name, page) => {
  it('has links that lead somewhere', () => {
    expect(brokenLinks(page)).toEqual([])
  })

  it('shows commands that the program understands', () => {
    for (const line of commandLines(page)) expect(() => parse(wordsOf(line).slice(1)), line).not.toThrow()
  })
})
