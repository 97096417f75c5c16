import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from '../helpers/doc-page.ts'
import { makeMachine } from '../helpers/gsd.ts'

const JSON_BLOCK = /^```json\n(.*?)^```/gms

/** Sections that list members, with their examples. */
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

/** Members of rows and diagnostics that another section of the page describes. */
const COMMON = new Set(
  'id role version tier title scope status code reason source hosts severity message file line column path hint'.split(
    ' ',
  ),
)

/** Shapes that the page gives without an example, by command. */
const SHAPES = new Map(
  [...readPage('docs/reference/json.md').matchAll(/^- (`[^:]+`):\s+`(\{.*?\})`/gm)].flatMap(
    ([, commands = '', shape = '']) =>
      commands.split(', ').map((command) => [command.replaceAll('`', ''), shape] as const),
  ),
)

/** One call of each, in an order in which each has something to say. */
const CALLS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['init', 'notes'],
  ['pack', './notes'],
  ['validate', './notes'],
  ['diff', './notes', './notes'],
  ['disable', 'tool'],
  ['doctor'],
  ['enable', 'tool'],
  ['trust list'],
  ['trust revoke', 'tool'],
  ['trust grant', 'tool', '--yes'],
  ['sync'],
  ['remove', 'tool'],
  ['cache path'],
  ['cache clean'],
]

describe('a shape without an example', () => {
  const machine = makeMachine('gsd-docs')
  beforeAll(async () => {
    const { status } = await machine.gsd([
      'capability',
      'install',
      machine.bundle('tool'),
      '--runtime',
      'claude',
      '--yes',
    ])
    expect(status).toBe(0)
  })
  afterAll(() => machine.remove())

  it('belongs to a command that is called here', () => {
    expect(CALLS.map(([command]) => command).toSorted()).toEqual([...SHAPES.keys()].toSorted())
  })

  it.each(CALLS)('has the members that %s answers', async (command, ...args) => {
    const { json } = await machine.gsd(['capability', ...command.split(' '), ...args, '--json'])
    expect(json.ok).toBe(true)
    const shape = SHAPES.get(command) ?? ''
    const named = new Set(shape.match(/\w+/g))
    expect(namesIn(json.data, 1).filter((name) => !COMMON.has(name) && !named.has(name))).toEqual([])
    const required = shape.replaceAll(/\[.*?\]/g, '').match(/\w+\b(?!\?)/g)
    expect(Object.keys(json.data).toSorted()).toEqual([...new Set(required)].toSorted())
  })
})
