import { cleanText } from '../../redact.ts'

/** How text is laid out for one stream. */
export interface View {
  /** Columns of the window; `Infinity` off a TTY, where nothing is cut. */
  readonly width: number
  readonly verbose: boolean
  readonly style: Style
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string
}

export const makeView = (width: number, colour: boolean, verbose: boolean): View => {
  const style = colour ? withStyle : withoutStyle
  return { width, verbose, style, table: (columns, rows) => table(columns, rows, { width, style }) }
}

/** A number with its noun: `1 file`, `3 files`. */
export const countText = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type StyleName = keyof typeof CODES

/** Colours text, or returns it unchanged without colours. */
export type Style = (name: StyleName, text: string) => string

export const withStyle: Style = (name, text) => {
  const [on, off] = CODES[name]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}

export const withoutStyle: Style = (_name, text) => text

/** Colours are the only control sequences the program writes itself. */
const STYLE_OR_CONTROL =
  /\u001b\[(?:0|1|2|22|3[0-9]|39)m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Last check of text for a terminal. Outside text is already cleaned where it is inserted; anything missed, such as a file
 * name, must not move the cursor or change the reading direction either.
 */
export const escapeControls = (text: string): string =>
  text.replace(STYLE_OR_CONTROL, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** One column. Without `cut` it is always shown whole, even past the edge of the window. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly cut?: true
  readonly style?: (row: Row) => StyleName | null
}

export interface TableLayout {
  /** Columns of the window; `Infinity` without one. */
  readonly width: number
  readonly style: Style
}

const oneLine = (text: string): string => (text.includes('\n') ? text.replaceAll('\n', ' ') : text)

const GAP = '  '
const MIN_WIDTH = 8

/** Rows under titles, each column as wide as it needs; in a narrow window the cuttable columns shrink. */
export const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], stat: TableLayout): string => {
  const cells = rows.map((row) => columns.map((column) => oneLine(cleanText(column.cell(row)))))
  const widths = fitWidths(columns, cells, stat.width)
  const line = (texts: readonly string[], styleOf: (index: number) => StyleName | null): string =>
    texts
      .map((text, index) => {
        const width = widths[index] ?? 0
        const shown = columns[index]?.cut ? cutTo(text, width) : text
        const name = styleOf(index)
        const styled = name === null ? shown : stat.style(name, shown)
        if (index === texts.length - 1) return styled
        // Colours take no columns.
        return styled.length === shown.length && ASCII.test(shown)
          ? styled.padEnd(width)
          : styled + ' '.repeat(Math.max(0, width - widthOf(shown)))
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

const fitWidths = <Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  window: number,
): number[] => {
  const widths = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(column.title)),
  )
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1)) - window
  while (excess > 0) {
    const widest = columns.reduce<number>((best, column, index) => {
      const width = widths[index] ?? 0
      return column.cut && width > MIN_WIDTH && width > (widths[best] ?? 0) ? index : best
    }, -1)
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}

const ZERO = /^[\p{M}\p{Cf}]$/u
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u
const ASCII = /^[ -~]*$/

/** Terminal columns of a text without control characters. */
export const widthOf = (text: string): number => {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

/** The text cut to at most `width` columns, with `…` where something is missing. */
export const cutTo = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let taken = ''
  let used = 0
  for (const character of text) {
    used += characterWidth(character)
    if (used > width - 1) break
    taken += character
  }
  return `${taken}…`
}

const characterWidth = (character: string): number => (ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1)
