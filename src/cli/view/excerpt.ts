import { cleanText } from '../../redact.ts'

const WIDEST = 100

/** The lines of a text; cut once, whatever the number of findings. */
export const linesOf = (text: string): readonly string[] => text.split(/\r\n|\n|\r/)

/** The line that a finding is about, with a caret under its column; a long line is cut around it. */
export const excerpt = (lines: readonly string[], line: number, column: number, width: number): string[] => {
  const source = lines[line - 1]
  if (source === undefined) return []
  const room = Math.max(20, Math.min(width, WIDEST) - 10)
  const start = column > room ? column - Math.trunc(room / 2) : 0
  const shown = source.slice(start, start + room).replaceAll('\t', ' ')
  const number = String(line)
  return [
    `  ${number} | ${cleanText(shown)}`,
    `  ${' '.repeat(number.length)} | ${' '.repeat(cleanText(shown.slice(0, column - 1 - start)).length)}^`,
  ]
}
