import { lazy } from '../lazy.ts'
import { withClosedFence } from './open-fence.ts'

/** Characters that a reader does not see between the letters of a tag, or takes for white space. */
const UNSEEN = String.raw`[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*`

/** The same without what indents a line. */
const IGNORED = String.raw`(?:(?!\t)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])*`

const spread = (word: string): string => [...word].join(UNSEEN)

/** The start of a tag of the document, in any case, opening or closing, however its letters are split. */
const tagStart = (names: readonly string[]): RegExp =>
  new RegExp(`<(?=${UNSEEN}/?${UNSEEN}(?:${names.map(spread).join('|')})(?![\\p{L}\\p{N}_-]))`, 'giu')

/** Blocks of the rendered document. Like the other large expressions it is compiled when a text needs it. */
const TAG = lazy(() => tagStart(['contribution', 'step', 'gate']))

/** What hides a text, or keeps Markdown away from it, from its opening on until its end, however far that is. */
const HIDING = lazy(
  () =>
    [
      [/<(?=!--)/g, /-->/g],
      [/(?<=^ {0,3})<(?=\?)/gm, /\?>/g],
      [/(?<=^ {0,3})<(?=!\[CDATA\[)/gm, /\]\]>/g],
      ...['script', 'style', 'textarea', 'pre'].map(
        (name) => [new RegExp(`(?<=^ {0,3})<(?=${name}(?:[\\s>]|$))`, 'gim'), new RegExp(`</${name}>`, 'gi')] as const,
      ),
    ] as const,
)

/** Where a line ends for Markdown, or seems to for a reader. */
const LINE = /[^\r\n\v\f\u0085\u2028\u2029]*(?:\r\n|[\r\n\v\f\u0085\u2028\u2029]|$)/g
/** A line that stands as a heading: with signs before it, or with a line drawn below it. */
const SIGNS = lazy(
  () => new RegExp(`^(${IGNORED}(?:\\p{Zs}${IGNORED}){0,3})(#(?:${IGNORED}#){0,5})(?=[\\s\\p{Cc}\\p{Cf}]|$)`, 'u'),
)
/** The same for a line of printable ASCII, which needs no large expression. */
const PLAIN_SIGNS = /^( {0,3})(#{1,6})(?=\s|$)/
const PLAIN = /^[\t -~]*[\r\n]*$/
const DRAWN = /^ {0,3}(?:=+|-+)\s*$/
/** A heading as HTML, with its words and the tags between them. */
const HTML_HEADING = /<(?=h[1-6](?:\s[^<>]{0,200})?>([^<]{0,100}(?:<(?!\/h)[^<>]{0,100}>[^<]{0,100}){0,4})<\/h)/gi

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
  const tagless = text.includes('<') ? withoutForgedTags(text, headings) : text
  const escaped = withoutForgedHeadings(tagless, headings)
  return { text: withClosedFence(escaped), changed: escaped !== text }
}

const withoutForgedTags = (text: string, headings: ReadonlySet<string>): string => {
  const closed = HIDING().reduce<string>(
    (shown, [opening, end]) => (isOpen(shown, opening, end) ? shown.replace(opening, '&lt;') : shown),
    text.replace(TAG(), '&lt;'),
  )
  return withoutHtmlHeadings(closed, headings)
}

const isOpen = (text: string, opening: RegExp, end: RegExp): boolean => lastOf(text, opening) > lastOf(text, end)

const lastOf = (text: string, pattern: RegExp): number => {
  let last = -1
  for (const { index } of text.matchAll(pattern)) last = index
  return last
}

/** Without such a text has no heading: a sign of one, or the start of a line drawn below one. */
const MAY_HAVE_HEADING = /#|(?:^|[\r\n\v\f\u0085\u2028\u2029]) {0,3}[=-]/

const withoutForgedHeadings = (text: string, headings: ReadonlySet<string>): string => {
  if (!MAY_HAVE_HEADING.test(text)) return text
  const lines = text.match(LINE) ?? []
  return lines
    .map((line, at) => {
      const signs = line.includes('#') ? (PLAIN.test(line) ? PLAIN_SIGNS : SIGNS()).exec(line) : null
      if (signs !== null && headings.has(wordsOf(line.slice(signs[0].length))))
        return `${signs[1] ?? ''}\\${line.slice((signs[1] ?? '').length)}`
      const drawn = signs === null && DRAWN.test(lines[at + 1] ?? '')
      return drawn && headings.has(wordsOf(line)) ? line.replace(/^(\s*)/, '$1\\') : line
    })
    .join('')
}

const withoutHtmlHeadings = (text: string, headings: ReadonlySet<string>): string =>
  text.replace(HTML_HEADING, (sign, inner: string) =>
    headings.has(wordsOf(inner.replace(/<[^<>]*>/g, ''))) ? '&lt;' : sign,
  )

const visibleText = (line: string): string =>
  line.normalize('NFKC').replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')

/** The words of a heading as a reader sees them. */
const wordsOf = (line: string): string =>
  (PLAIN.test(line) ? line.replaceAll(/[\t\r\n]/g, '') : visibleText(line))
    .replace(/[*_`~#:\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
