import { cleanText } from '../../redact.ts'
import type { Style, StyleName } from './style.ts'
import { cutTo, widthOf } from './width.ts'

/** One column. A column that may not be `cut` is always shown whole, even past the edge of the window. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly cut?: true
  readonly style?: (row: Row) => StyleName | null
}

export interface TableLook {
  /** Columns of the window; `Infinity` where there is none. */
  readonly width: number
  readonly style: Style
}

const GAP = '  '
const LEAST = 8

/** Rows under titles, each column as wide as it needs; where the window is narrower, the cuttable columns give way. */
export const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: TableLook): string => {
  const cells = rows.map((row) => columns.map((column) => cleanText(column.cell(row)).replaceAll('\n', ' ')))
  const widths = fit(columns, cells, look.width)
  const line = (texts: readonly string[], styleOf: (index: number) => StyleName | null): string =>
    texts
      .map((text, index) => {
        const width = widths[index] ?? 0
        const shown = columns[index]?.cut ? cutTo(text, width) : text
        const name = styleOf(index)
        const padding = index === texts.length - 1 ? '' : ' '.repeat(Math.max(0, width - widthOf(shown)))
        return (name === null ? shown : look.style(name, shown)) + padding
      })
      .join(GAP)
      .trimEnd()
  return [
    line(
      columns.map((column) => column.title),
      () => 'bold',
    ),
    ...rows.map((row, at) => line(cells[at] ?? [], (index) => columns[index]?.style?.(row) ?? null)),
  ].join('\n')
}

const fit = <Row>(columns: readonly Column<Row>[], cells: readonly (readonly string[])[], window: number): number[] => {
  const widths = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(column.title)),
  )
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1)) - window
  while (excess > 0) {
    const widest = columns.reduce<number>((best, column, index) => {
      const width = widths[index] ?? 0
      return column.cut && width > LEAST && width > (widths[best] ?? 0) ? index : best
    }, -1)
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}
