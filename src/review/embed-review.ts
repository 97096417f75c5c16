/**
 * A review as it can stand in a section of a document without ending that section: its headings are below the section's,
 * it has no HTML blocks, and no fence stays open. Where its fences are not beyond doubt it becomes a quotation, which
 * ends whatever is in it. Pure.
 */
export const embedReview = (review: string): string => {
  const lines = review.replaceAll('\t', '    ').split('\n')
  const quoted = !hasPlainFences(lines)
  const text = lowerHeadings(lines).map((line) => escapeHtml(line))
  return text.map((line) => (quoted ? `> ${line}`.trimEnd() : line)).join('\n')
}

/** Marks of lists and quotations, in front of what a line holds. */
const CONTAINER = String.raw`(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*`
const HEADING = new RegExp(`^(${CONTAINER})(#{1,6})(?=\\s|$)`)
const UNDERLINE = new RegExp(`^${CONTAINER}(?:=+|-+)\\s*$`)
/** Headings of sections have two. */
const LOWERED_BY = 2
const MAX_LEVEL = 6

/** In code too: whoever reads the document line by line does not know of fences. */
const lowerHeadings = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line, at) => {
    const lowered = line.replace(
      HEADING,
      (_all, before: string, hashes: string) => before + '#'.repeat(Math.min(hashes.length + LOWERED_BY, MAX_LEVEL)),
    )
    // A line below a text would make a heading of that text.
    return UNDERLINE.test(line) && (lines[at - 1] ?? '').trim() !== '' ? ['', lowered] : [lowered]
  })

/** HTML could hold a heading, or a comment that never ends. */
const escapeHtml = (line: string): string =>
  line
    .replace(new RegExp(`^(${CONTAINER})<`), '$1&lt;')
    .replace(/<(?=!|\?|\/?(?:h[1-6]|script|style|pre|textarea|details|summary|template|title)\b)/gi, '&lt;')

const ANY_FENCE = new RegExp(`^${CONTAINER}(?:\`{3,}|~{3,})`)
const OPENING = /^(`{3,}|~{3,})([^`]*)$/
const CLOSING = /^ {0,3}(`{3,}|~{3,})\s*$/

/** Whether every fence starts at the edge, where it has one meaning only, and is closed. */
const hasPlainFences = (lines: readonly string[]): boolean => {
  let open: string | null = null
  for (const line of lines) {
    if (open !== null) {
      const [, close] = CLOSING.exec(line) ?? []
      if (close !== undefined && close[0] === open[0] && close.length >= open.length) open = null
    } else if (ANY_FENCE.test(line)) {
      const [, fence] = OPENING.exec(line) ?? []
      if (fence === undefined) return false
      open = fence
    }
  }
  return open === null
}
