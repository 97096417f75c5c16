import { cleanText } from '../../redact.ts'

const WIDEST = 100

/** The line of a text that a finding is about, with a caret under its column; a long line is cut around it. */
export const excerpt = (text: string, line: number, column: number, width: number): string[] => {
  const source = text.split(/\r\n|\n|\r/)[line - 1]
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
