import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** The rooms of `src`, lowest first. A file imports from its own room and from lower levels; see CONTRIBUTING.md. */
const LEVELS: readonly (readonly string[])[] = [
  ['errors'],
  ['manifest', 'spec'],
  ['registry', 'platform'],
  ['bundle'],
  ['state'],
  ['trust', 'fetch'],
  ['overlay'],
  ['host'],
  ['resolve', 'transaction'],
  ['operation', 'loop', 'review', 'skills'],
  ['mcp'],
  ['entry'],
  ['cli'],
]

/** Files directly in `src` that are not part of the lowest level. */
const ROOT_FILES: Readonly<Record<string, string>> = {
  'context.ts': 'state',
  'make-context.ts': 'entry',
  'index.ts': 'entry',
  'loader.ts': 'entry',
  'loop.ts': 'entry',
  'review.ts': 'entry',
  'library-options.ts': 'entry',
  'skills.ts': 'entry',
}

/** Rooms without effects: no disk, no processes, no network, no clock, no randomness. */
const PURE = [/^(spec|manifest|registry|host\/splice)\//, /^trust\/(?!consent\/)/, /^bundle\/archive\/audit\.ts$/]
const EFFECTS =
  /^(node:)?(fs|fs\/promises|child_process|http|https|http2|net|tls|dgram|os|process|worker_threads|timers|timers\/promises)$/
const EFFECT_CALLS =
  /\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandom(Bytes|UUID|Int)\b|\bperformance\./

/** The limit of files directly in one folder. */
const MOST_FILES = 25

interface Import {
  readonly from: string
  readonly to: string
}

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort()

const textOf = (file: string): string => readFileSync(join(SRC, file), 'utf8')

/** Static, lazy and type imports, as written. */
const specifiersOf = (file: string): readonly string[] =>
  ts.preProcessFile(textOf(file), true, true).importedFiles.map(({ fileName }) => fileName)

const IMPORTS: readonly Import[] = FILES.flatMap((from) =>
  specifiersOf(from)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from, to: posix.join(posix.dirname(from), specifier) }))
    .filter(({ to }) => !to.startsWith('..')),
)

const roomOf = (file: string): string =>
  file.includes('/') ? (file.split('/', 1)[0] ?? '') : (ROOT_FILES[file] ?? 'errors')

const levelOf = (file: string): number => LEVELS.findIndex((rooms) => rooms.includes(roomOf(file)))

const shown = ({ from, to }: Import): string => `${from} imports ${to}`

/** Groups of files with circular imports (Tarjan). */
const circles = (): readonly (readonly string[])[] => {
  const targets = new Map<string, string[]>()
  for (const { from, to } of IMPORTS) targets.set(from, [...(targets.get(from) ?? []), to])
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.get(file) ?? 0)
    stack.push(file)
    for (const target of targets.get(file) ?? []) {
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? 0, low.get(target) ?? 0))
    }
    if (low.get(file) !== index.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) found.push(circle)
  }
  for (const file of FILES) if (!index.has(file)) visit(file)
  return found
}

/** The tree that the tests below check, printed for readers of the test's output. */
const treeText = (): string =>
  LEVELS.toReversed()
    .map((rooms) =>
      rooms
        .map((room) => ({ room, count: FILES.filter((file) => roomOf(file) === room).length }))
        .filter(({ count }) => count > 0)
        .map(({ room, count }) => `${room} (${count})`)
        .join(', '),
    )
    .filter((line) => line !== '')
    .join('\n  ')

describe('the rooms of src', () => {
  it('are all listed', () => {
    process.stdout.write(`rooms, with their files, top to bottom:\n  ${treeText()}\n`)
    expect(FILES.filter((file) => levelOf(file) < 0)).toEqual([])
    expect(IMPORTS.length).toBeGreaterThan(FILES.length)
  })

  it('import downwards only, by type and lazily too', () => {
    const upwards = IMPORTS.filter(({ from, to }) => roomOf(from) !== roomOf(to) && levelOf(to) >= levelOf(from))
    expect(upwards.map(shown)).toEqual([])
  })

  it('have no import cycle of files, by type and lazily either', () => {
    expect(circles()).toEqual([])
  })

  it(`hold at most ${MOST_FILES} files a folder`, () => {
    const counts = new Map<string, number>()
    for (const file of FILES) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([])
  })

  it('start programs in platform/process.ts only', () => {
    const starts = /\bchild_process\b|\bnode:cluster\b|['"]execa['"]/
    const files = FILES.filter((file) => starts.test(textOf(file)))
    expect(files).toEqual(['platform/process.ts'])
  })

  it.each(PURE)('%s has no effects', (pattern) => {
    const files = FILES.filter((file) => pattern.test(file))
    expect(files.length).toBeGreaterThan(0)
    const broken = files.filter(
      (file) => specifiersOf(file).some((specifier) => EFFECTS.test(specifier)) || EFFECT_CALLS.test(textOf(file)),
    )
    expect(broken).toEqual([])
  })

  it('keep the modules that operations share from importing an operation', () => {
    const shared = /^operation\/[^/]+\//
    const broken = IMPORTS.filter(({ from, to }) => shared.test(from) && /^operation\/[^/]+\.ts$/.test(to))
    expect(broken.map(shown)).toEqual([])
  })
})
