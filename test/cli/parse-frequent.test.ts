import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/parse-command-line.ts'
import { parseFrequent } from '../../src/cli/parse-frequent.ts'
import { GsdError } from '../../src/errors.ts'

const FREQUENT = [
  ['capability', 'list'],
  ['cap', 'ls'],
  ['capability', 'install'],
  ['cap', 'add'],
  ['capability', 'remove'],
  ['capability', 'state'],
  ['loop', 'render'],
  ['loop', 'render-hooks'],
  ['loop', 'gate'],
  ['check', 'predicate'],
  ['config', 'get'],
  ['skills', 'resolve'],
  ['skills', 'search'],
  ['skills', 'show'],
  ['mcp', 'serve'],
  ['mcp'],
] as const

const WORDS = [
  'x',
  '',
  '-',
  '--',
  '-y',
  '-g',
  '-h',
  '--help',
  '--json',
  '--no-color',
  '--scope',
  '--scope=global',
  'global',
  '--runtime',
  '--runtime=claude',
  '--set',
  'a=1',
  '--no-downgrade',
  '--downgrade',
  '--all',
  '--role',
  '--frozen',
  '--project',
  '--cwd',
  '--raw',
  '--jsn',
  '--message',
  '--query',
  '--skills-root',
  '--json=1',
  'serve',
  'list',
]

const attempt = async (parse: () => unknown): Promise<unknown> => {
  try {
    return await parse()
  } catch (error) {
    return error instanceof GsdError ? { code: error.code, message: error.message, hint: error.hint } : error
  }
}

describe('the parser of frequent commands', () => {
  it.each(FREQUENT.map((words) => words.join(' ')))('takes a line of `%s`', async (line) => {
    const args = /(?:install|add|remove|gate|get|show)$/.test(line) ? ['x'] : []
    expect(await parseFrequent([...line.split(' '), ...args, '--json'])).toMatchObject({
      kind: 'run',
      flags: { json: true },
    })
  })

  it('reads a line as the table of all commands does, or leaves it to that table', async () => {
    const word = fc.constantFrom(...WORDS)
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FREQUENT), fc.array(word, { maxLength: 5 }), async (words, rest) => {
        const line = [...words, ...rest]
        const found = await attempt(() => parseFrequent(line))
        if (found === null) return
        taken += 1
        expect(found).toEqual(await attempt(() => parseCommandLine(line)))
      }),
      { seed: 19, numRuns: 6000 },
    )
    expect(taken).toBeGreaterThan(1000)
  })

  it.each([
    [[]],
    [['help']],
    [['capability', 'info', 'x']],
    [['--json', 'capability', 'list']],
    [['loop', '__proto__']],
  ])('leaves %j to the table of all commands', async (line) => {
    expect(await parseFrequent(line)).toBe(null)
  })
})
