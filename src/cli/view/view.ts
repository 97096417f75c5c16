import { withoutStyle, withStyle, type Style } from './style.ts'
import { table, type Column } from './table.ts'

/** How text is laid out for one stream: its width, its colours, how much is wanted. */
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
