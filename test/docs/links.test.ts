import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/parse-command-line.ts'
import { GsdError } from '../../src/errors.ts'
import { blocksOf, docPages, readPage, ROOT } from '../helpers/doc-page.ts'

const pages = (): string[] => docPages().map((page) => join(ROOT, page))

const FENCE = /^ *```.*?^ *```/gms
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

/** The anchor of a heading on the web. */
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

/** Commands that are shown and not run: in running text, and as examples in blocks of text. */
const commandLines = (page: string): string[] =>
  [
    ...blocksOf(page)
      .filter(({ lang }) => lang === 'text')
      .flatMap(({ text }) => text.split('\n')),
    ...[
      ...readPage(page)
        .replaceAll(FENCE, '')
        .matchAll(/`([^`\n]+)`/g),
    ].map((found) => found[1] ?? ''),
  ].filter((line) => line.startsWith('gsd ') && !/[<[…|]/.test(line))

/** Words of a simple shell line: quotes and comments only. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ +# .*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  )

/** Running text may omit arguments; a command or a flag that does not exist is always an error. */
const isValidCommand = (line: string): boolean => {
  try {
    parseCommandLine(wordsOf(line).slice(1))
    return true
  } catch (error) {
    return error instanceof GsdError && error.code === 'USAGE_MISSING_ARGUMENT'
  }
}

describe.each(docPages())('%s', (name) => {
  const page = join(ROOT, name)

  it('has links whose targets exist', () => {
    expect(brokenLinks(page)).toEqual([])
  })

  it('shows commands that the program parses', () => {
    expect(commandLines(name).filter((line) => !isValidCommand(line))).toEqual([])
  })
})

it('every page is linked from the first one, directly or not', () => {
  const reached = new Set<string>()
  const visit = (page: string): void => {
    if (reached.has(page) || !existsSync(page)) return
    reached.add(page)
    for (const [, target = ''] of readFileSync(page, 'utf8').replaceAll(FENCE, '').matchAll(LINK))
      if (/^[^:]+\.md(?:#|$)/.test(target)) visit(join(dirname(page), target.split('#')[0] ?? ''))
  }
  visit(join(ROOT, 'README.md'))
  expect(pages().filter((page) => !reached.has(page))).toEqual([])
})
