/** A code fence that is open. */
interface Fence {
  /** Its backticks or tildes. */
  readonly mark: string
  /** Blanks before it, where it stands alone in its line. */
  readonly indent: string
  /** Whether a line still belongs to the quote or list item that the fence was opened in. */
  readonly holds: (line: string) => boolean
  /** Whether it ends with its quote or list item, so that nothing must close it. */
  readonly contained: boolean
}

/** A line that opens a fence, behind any marks of quotes and list items. Backticks cannot stand behind backticks. */
const OPENING = /^( {0,3}(?:(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))[ \t]*)*)(`{3,}(?![^`]*`)|~{3,})/
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
const CONTAINED_CLOSING = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/
const FENCE = /`{3}|~{3}/
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g

/**
 * A Markdown text in which every code fence ends, so that what follows it is not taken for code. Lines inside a fence get
 * its indentation at least: at the top level this means the same, and in a list item the fence then ends where it seems to.
 */
export const withClosedFence = (text: string): string => {
  if (!FENCE.test(text)) return text
  let open: Fence | null = null
  const parts: string[] = []
  for (const whole of text.match(LINES) ?? []) {
    const line = whole.replace(/[\r\n]+$/, '')
    if (open !== null && line.trim() !== '' && !open.holds(line)) open = null
    if (open === null) {
      open = openedBy(line)
      parts.push(whole)
      continue
    }
    parts.push(line.trim() === '' ? whole : indented(whole, open.indent))
    if (isClosedBy(line, open)) open = null
  }
  const closed = parts.join('')
  return open === null || open.contained ? closed : `${closed.replace(/[\r\n]+$/, '')}\n${open.indent}${open.mark}`
}

const openedBy = (line: string): Fence | null => {
  const [, before = '', mark] = OPENING.exec(line) ?? []
  if (mark === undefined) return null
  if (before.trim() === '') return { mark, indent: before, holds: () => true, contained: false }
  const isQuoted = before.trimStart().startsWith('>')
  const holds = isQuoted
    ? (next: string) => next.trimStart().startsWith('>')
    : (next: string) => indentOf(next) >= before.length
  return { mark, indent: '', holds, contained: true }
}

const isClosedBy = (line: string, { mark, contained }: Fence): boolean =>
  (contained ? CONTAINED_CLOSING : CLOSING).exec(line)?.[1]?.startsWith(mark) === true

const indented = (line: string, indent: string): string => {
  const missing = indent.length - indentOf(line)
  return missing > 0 ? `${' '.repeat(missing)}${line}` : line
}

/** Columns before the first sign; a tab goes to the next multiple of four. */
const indentOf = (line: string): number => {
  let columns = 0
  for (const sign of /^[ \t]*/.exec(line)?.[0] ?? '') columns += sign === '\t' ? 4 - (columns % 4) : 1
  return columns
}
