import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Paths of all pages of the documentation, relative to the repository. */
export const docPages = (): string[] => [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file))
    .toSorted(),
]

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

/** A fenced block of a page. */
export interface Block {
  readonly lang: string
  readonly text: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  /** The last line with text before it. */
  readonly before: string
  /** The text of an HTML comment directly before it. */
  readonly note: string | null
}

export const blocksOf = (page: string): Block[] => {
  const lines = readPage(page).split('\n')
  const blocks: Block[] = []
  let open: { lang: string; at: number } | null = null
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('```')) continue
    if (open === null) {
      open = { lang: line.slice(3).trim(), at }
      continue
    }
    const above = lines.slice(0, open.at).filter((each) => each.trim() !== '')
    const note = /^<!-- (.*) -->$/.exec(above.at(-1) ?? '')?.[1] ?? null
    const before = above.findLast((each) => !each.startsWith('<!--')) ?? ''
    const text = lines.slice(open.at + 1, at).map((each) => `${each}\n`)
    blocks.push({ lang: open.lang, text: text.join(''), line: open.at + 1, before, note })
    open = null
  }
  return blocks
}

/** The steps of a reader, in the order of the page. */
export type DocStep =
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly line: number }
  | {
      readonly kind: 'run'
      readonly command: string
      /** The output that the page shows; null if it shows none. JSON is compared by value. */
      readonly output: string | null
      readonly json: boolean
      readonly status: number
      readonly line: number
      /** First line of `output`. */
      readonly outputLine: number
    }

/** `Put this into `greeter/capability.json`:` */
const FILE = /\bthis into `([^`]+)`:$/
const NOT_RUN = /^not run: /
const NOT_OUTPUT = /^not output/
const EXITS = /^exits (\d+)$/

/**
 * The steps of a page. Blocks of `sh` are run unchanged; blocks of `console` contain commands after `$ ` with the
 * output of each; a block of `text` or `json` after a block that is run is its output. `<!-- exits 3 -->` before a
 * command is its exit status, `<!-- not run: why -->` excludes it from the test, `<!-- not output -->` marks a block
 * that is not output.
 */
export const docStepsOf = (page: string): DocStep[] => {
  const acts: DocStep[] = []
  let last = -1
  for (const block of blocksOf(page)) {
    const { lang, text, line, note } = block
    const path = FILE.exec(block.before)?.[1]
    const [, status = '0'] = EXITS.exec(note ?? '') ?? []
    const asOutput = (lang === 'text' || lang === 'json') && last >= 0 && !NOT_OUTPUT.test(note ?? '')
    const previous = acts[last]
    last = -1
    if (path !== undefined) acts.push({ kind: 'file', path, text, line })
    else if (asOutput && previous?.kind === 'run')
      acts[acts.indexOf(previous)] = { ...previous, output: text, json: lang === 'json', outputLine: line + 1 }
    else if (lang === 'console') acts.push(...transcript(block))
    else if (lang === 'sh' && !NOT_RUN.test(note ?? ''))
      last =
        acts.push({
          kind: 'run',
          command: text,
          output: null,
          json: false,
          status: Number(status),
          line,
          outputLine: line,
        }) - 1
  }
  return acts
}

const transcript = ({ text, line, note }: Block): DocStep[] => {
  const [, status = '0'] = EXITS.exec(note ?? '') ?? []
  const parts = text.split(/^\$ /m).slice(1)
  let at = line + 1
  return parts.map((part, index) => {
    const [command = '', ...output] = part.split('\n')
    const outputLine = at + 1
    at = outputLine + output.length - 1
    return {
      kind: 'run' as const,
      command: `${command}\n`,
      output: output.join('\n'),
      json: false,
      status: index === parts.length - 1 ? Number(status) : 0,
      line,
      outputLine,
    }
  })
}

/** Blocks with commands that no test runs, each with its reason. */
export const notRun = (page: string): { readonly page: string; readonly why: string; readonly text: string }[] =>
  blocksOf(page)
    .filter(({ lang, note }) => lang === 'sh' && NOT_RUN.test(note ?? ''))
    .map(({ note, text }) => ({ page, why: (note ?? '').replace(NOT_RUN, ''), text }))
