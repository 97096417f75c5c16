import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIndex } from '../../src/skills/index/parse-index.ts'
import { entry, REAL_INDEX } from './skills-root.ts'

const bytes = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const compat = (value: unknown) => parseIndex(bytes(value), { mode: 'compat' })
const strict = (value: unknown) => parseIndex(bytes(value), { mode: 'strict' })
const codes = (parsed: ReturnType<typeof compat>) => parsed.findings.map(({ severity, code }) => `${severity} ${code}`)

describe('the real index', () => {
  const real = readFileSync(REAL_INDEX)

  it('has 1,988 entries and no fault, in both modes', () => {
    for (const mode of ['compat', 'strict'] as const) {
      const parsed = parseIndex(real, { mode })
      expect(parsed.entries).toHaveLength(1988)
      expect(parsed.findings).toEqual([])
    }
  })

  it('has each risk label as often as its own text says', () => {
    const count = new Map<string, number>()
    for (const { risk } of parseIndex(real, { mode: 'compat' }).entries) count.set(risk, (count.get(risk) ?? 0) + 1)
    expect(Object.fromEntries(count)).toEqual({ unknown: 940, safe: 753, critical: 239, none: 29, offensive: 27 })
  })

  it('keeps fields that the manifest does not name', () => {
    const { byId } = parseIndex(real, { mode: 'compat' })
    expect(byId.get('00-andruia-consultant')?.['plugin']).toMatchObject({ targets: { codex: 'supported' } })
  })
})

describe('an index that cannot be used at all', () => {
  it.each([
    ['an object', {}],
    ['null', 'null'],
    ['a text', '"skills"'],
    ['a number', '7'],
    ['truncated', JSON.stringify([entry('a')]).slice(0, -20)],
    ['empty', ''],
    ['nested a million deep', '['.repeat(1_000_000)],
  ])('is broken when it is %s', (_, value) => {
    const parsed = compat(value)
    expect(parsed.broken).toBe(true)
    expect(codes(parsed)).toEqual(['error MANIFEST_SKILLS_INDEX'])
  })

  it.each(['{}', '['])('does not advise to write it anew while it is there, which is refused: %s', (text) => {
    expect(parseIndex(Buffer.from(text), { mode: 'compat' }).findings[0]?.hint).toMatch(/move .* away/)
  })

  it('is broken when it is not UTF-8', () => {
    expect(parseIndex(Uint8Array.of(0x5b, 0xff, 0x5d), { mode: 'compat' }).broken).toBe(true)
  })

  it('is broken when it is larger than 16 MiB', () => {
    expect(parseIndex(Buffer.alloc(20 * 1024 * 1024, 0x20), { mode: 'compat' }).broken).toBe(true)
  })
})

describe('an entry', () => {
  it.each(['id', 'path', 'category', 'name', 'description', 'risk', 'source', 'date_added'])(
    'without %s is left out and named',
    (field) => {
      const parsed = compat([entry('a'), { ...entry('b'), [field]: undefined }])
      expect(parsed.entries.map(({ id }) => id)).toEqual(['a'])
      expect(codes(parsed)).toEqual(['error MANIFEST_SKILL_ENTRY'])
      expect(parsed.findings[0]).toMatchObject({ path: '/1', message: expect.stringContaining(`"${field}"`) })
    },
  )

  it.each([null, 7, 'text', [], [[]], true])('that is %j is left out', (value) => {
    expect(codes(compat([value]))).toEqual(['error MANIFEST_SKILL_ENTRY'])
  })

  it.each([
    '../etc',
    'skills/../etc',
    '/etc/passwd',
    'skills\\a',
    'skills/a\\..\\b',
    'skills/a\0',
    'skills',
    'skills/',
    'skills//a',
    'skills/./a',
    'skills/a/..',
    './skills/a',
    'Skills/a',
    'other/a',
    'C:/skills/a',
    'skills/C:x',
    'skills/\ud800',
    `skills/${'a'.repeat(256)}`,
    'skills/a\n',
  ])('with the path %j is left out', (path) => {
    const parsed = compat([entry('evil', { path })])
    expect(parsed.entries).toEqual([])
    expect(codes(parsed)).toEqual(['error MANIFEST_SKILL_PATH'])
    expect(parsed.refused.has('evil')).toBe(true)
  })

  it.each(['skills/a', 'skills/a/b/c', 'skills/A b', 'skills/日本語', 'skills/a.b', 'skills/...', 'skills/aux'])(
    'with the path %j is taken',
    (path) => expect(compat([entry('a', { path })]).entries).toHaveLength(1),
  )

  it('may have ids that are names of objects’ own members', () => {
    const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const parsed = compat(ids.map((id) => entry(id, { path: 'skills/a' })))
    expect([...parsed.byId.keys()]).toEqual(ids)
    expect(parsed.byId.get('valueOf')).toBeUndefined()
  })

  it('may be without a date, and have a risk that is not known, with a warning', () => {
    expect(codes(compat([entry('a', { date_added: null, risk: 'spicy' })]))).toEqual(['warning MANIFEST_SKILL_LABEL'])
  })

  it('that is nested deeper than 64 is left out', () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    const text = JSON.stringify([entry('a', { extra: 0 })]).replace('"extra":0', `"extra":${deep}`)
    expect(codes(compat(text))).toEqual(['error MANIFEST_SKILL_ENTRY'])
  })
})

describe('compat reading', () => {
  it('takes the first of two entries with one id and warns', () => {
    const parsed = compat([entry('a'), entry('a', { path: 'skills/other' })])
    expect(parsed.byId.get('a')?.path).toBe('skills/a')
    expect(codes(parsed)).toEqual(['warning MANIFEST_SKILL_DUPLICATE'])
  })

  it('takes a byte order mark with a warning', () => {
    const parsed = compat(`\ufeff${JSON.stringify([entry('a')])}`)
    expect(parsed.entries).toHaveLength(1)
    expect(codes(parsed)).toEqual(['warning MANIFEST_SKILLS_INDEX'])
  })

  it('freezes what it gives, all through', () => {
    const [first] = compat([entry('a', { plugin: { targets: { codex: 'yes' } } })]).entries
    expect(Object.isFrozen(first)).toBe(true)
    const plugin = first === undefined ? {} : (first['plugin'] as { targets?: unknown })
    expect(Object.isFrozen(plugin.targets)).toBe(true)
    expect(plugin.targets).toBeDefined()
  })
})

describe('strict reading', () => {
  it.each([
    ['the same id twice', [entry('a'), entry('a')], 'MANIFEST_SKILL_DUPLICATE'],
    ['ids that differ in case only', [entry('a'), entry('A')], 'MANIFEST_SKILL_DUPLICATE'],
    ['an id that cannot be mentioned', [entry('-a-')], 'MANIFEST_SKILL_ID'],
    ['the id __proto__', [entry('__proto__')], 'MANIFEST_SKILL_ID'],
    ['a date that is none', [entry('a', { date_added: 'yesterday' })], 'MANIFEST_SKILL_DATE'],
    ['a day that the calendar lacks', [entry('a', { date_added: '2026-02-30' })], 'MANIFEST_SKILL_DATE'],
    ['an unknown risk', [entry('a', { risk: 'spicy' })], 'MANIFEST_SKILL_LABEL'],
  ])('refuses %s', (_, entries, code) => {
    expect(codes(strict(entries))).toEqual([`error ${code}`])
  })

  it('refuses a byte order mark', () => {
    expect(codes(strict(`\ufeff${JSON.stringify([entry('a')])}`))).toEqual(['error MANIFEST_SKILLS_INDEX'])
  })
})

describe('findings of a hostile index', () => {
  it('are bounded, and the last one counts those left out', () => {
    const parsed = compat(Array.from({ length: 5000 }, (_, at) => ({ id: `x${at}` })))
    expect(parsed.findings).toHaveLength(201)
    expect(parsed.findings.at(-1)).toMatchObject({ severity: 'error', message: '4800 more findings are not shown' })
  })
})

it('reading an index of any bytes does not throw and returns only plain paths', () => {
  const path = fc.oneof(fc.string(), fc.constantFrom('skills/a', 'skills/a/../b', '/x', 'skills\\x'))
  const item = fc.oneof(
    fc.jsonValue(),
    path.map((it) => entry('a', { path: it })),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(item).map((items) => bytes(items)),
        fc.uint8Array(),
      ),
      (input) => {
        for (const { path: found } of parseIndex(input, { mode: 'compat' }).entries)
          if (!found.startsWith('skills/') || found.split('/').some((it) => ['', '.', '..'].includes(it))) return false
        return true
      },
    ),
    { seed: 7, numRuns: 500 },
  )
})
