/** Where an offset of a text lies: both 1-based, the column in UTF-16 code units. CR LF, LF and CR end a line. */
export const positionOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset)
  const breaks = before.match(/\r\n|\n|\r/g)?.length ?? 0
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  const skipped = lineStart === 0 && text.startsWith('\uFEFF') && offset > 0 ? 1 : 0
  return { line: breaks + 1, column: offset - lineStart - skipped + 1 }
}
