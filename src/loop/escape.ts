/** Characters that a reader does not see between the letters of a tag, or takes for white space. */
const UNSEEN = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`

const spread = (word: string): string => [...word].join(UNSEEN)

/** The start of a tag of the document, in any case, opening or closing, however its letters are split. */
const tagStart = (names: readonly string[]): RegExp =>
  new RegExp(`<(?=${UNSEEN}/?${UNSEEN}(?:${names.map(spread).join('|')})(?![\\p{L}\\p{N}_-]))`, 'giu')

/** Blocks of the rendered document. */
const TAG = tagStart(['contribution', 'step', 'gate'])

/** A comment that is opened, so that what follows would be hidden. */
const COMMENT = /<(?=!--)/g

/** A line that stands as a heading: with signs before it, or a line drawn below it. */
const LINE = /[^\r\n]*(?:\r\n|\r|\n|$)/g
const SIGNS = /^( {0,3})(#{1,6})(?=[ \t]|$)/
const DRAWN = /^ {0,3}(?:=+|-+)[ \t]*$/

/** What was changed in a text so that it stays inside its block. */
export interface Escaped {
  readonly text: string
  readonly changed: boolean
}

/**
 * A text as it may stand inside a block of the rendered document: it cannot close its block, open another one, hide what
 * follows in a comment or an open code fence, or pass for a heading of the document.
 *
 * @param headings the document's own, in lower case
 */
export const escapeText = (text: string, headings: ReadonlySet<string>): Escaped => {
  const tagless = text.replace(TAG, '&lt;').replace(isCommentOpen(text) ? COMMENT : /(?!)/, '&lt;')
  const escaped = withoutForgedHeadings(tagless, headings)
  return { text: withClosedFence(escaped), changed: escaped !== text }
}

const isCommentOpen = (text: string): boolean => text.lastIndexOf('<!--') > text.lastIndexOf('-->')

const withoutForgedHeadings = (text: string, headings: ReadonlySet<string>): string => {
  const lines = text.match(LINE) ?? []
  return lines
    .map((line, at) => {
      const signs = SIGNS.exec(line)
      if (signs !== null && headings.has(wordsOf(line.slice(signs[0].length))))
        return `${signs[1] ?? ''}\\${line.slice((signs[1] ?? '').length)}`
      const drawn = signs === null && DRAWN.test((lines[at + 1] ?? '').replace(/[\r\n]+$/, ''))
      return drawn && headings.has(wordsOf(line)) ? line.replace(/^(\s*)/, '$1\\') : line
    })
    .join('')
}

/** The words of a heading as a reader sees them. */
const wordsOf = (line: string): string =>
  line
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[*_`~#:\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

/** A code fence that is still open at the end would swallow the end of the block. */
const withClosedFence = (text: string): string => {
  let open: string | null = null
  for (const line of text.split(/\r\n|\r|\n/)) {
    const fence: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === null) open = fence
    else if (fence.startsWith(open) && line.trim() === fence) open = null
  }
  return open === null ? text : `${text.replace(/[\r\n]+$/, '')}\n${open}`
}
