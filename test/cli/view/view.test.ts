import { describe, expect, it } from 'vitest'
import { type Column, cutTo, table, widthOf, withoutStyle, withStyle } from '../../../src/cli/view/view.ts'
import { fc } from '../../helpers/property.ts'

interface Row {
  readonly id: string
  readonly version: string
  readonly title: string
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'id', cell: (row) => row.id },
  { title: 'version', cell: (row) => row.version },
  { title: 'title', cell: (row) => row.title, cut: true, style: () => 'dim' },
]
const LONG: Row = { id: 'a-very-long-capability-id', version: '10.20.30-rc.1', title: 'words '.repeat(40).trim() }

const lines = (rows: readonly Row[], width: number): string[] =>
  table(COLUMNS, rows, { width, style: withoutStyle }).split('\n')

describe('a table', () => {
  it('puts columns under their titles', () => {
    expect(lines([{ id: 'ui', version: '1.0.0', title: 'User interface' }], Infinity)).toEqual([
      'id  version  title',
      'ui  1.0.0    User interface',
    ])
  })

  it('truncates nothing without a window', () => {
    expect(lines([LONG], Infinity)[1]).toContain(LONG.title)
  })

  it('fits the window by truncating its flexible columns', () => {
    for (const width of [60, 80, 120]) {
      expect(Math.max(...lines([LONG], width).map(widthOf))).toBeLessThanOrEqual(width)
      expect(lines([LONG], width)[1]).toMatch(/…$/)
    }
  })

  it('never truncates ids and versions, however narrow the window', () => {
    const text = lines([LONG], 10).join('\n')
    expect(text).toContain(LONG.id)
    expect(text).toContain(LONG.version)
  })

  it('counts wide and combining characters as the terminal does', () => {
    const rows = [
      { id: 'a', version: '1.0.0', title: '界面界面' },
      { id: 'b', version: '1.0.0', title: 'e\u0301' },
    ]
    expect(lines(rows, Infinity).map(widthOf)).toEqual([18, 21, 14])
  })

  it('escapes control characters and keeps a row on one line', () => {
    expect(lines([{ id: 'x', version: '1.0.0', title: 'a\u001b[2Jb\nc' }], Infinity)).toHaveLength(2)
    expect(lines([{ id: 'x', version: '1.0.0', title: 'a\u001b[2Jb\nc' }], Infinity)[1]).toContain('a\\u001b[2Jb c')
  })

  it('has the same columns with colours as without', () => {
    const coloured = table(COLUMNS, [LONG], { width: 60, style: withStyle })
    // oxlint-disable-next-line no-control-regex
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(table(COLUMNS, [LONG], { width: 60, style: withoutStyle }))
  })
})

describe('a truncated text', () => {
  it('is never wider than the limit, and complete if it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        const cut = cutTo(text, width)
        expect(widthOf(cut)).toBeLessThanOrEqual(width)
        if (widthOf(text) <= width) expect(cut).toBe(text)
      }),
      { numRuns: 300 },
    )
  })
})
