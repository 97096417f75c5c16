import type { Node } from 'jsonc-parser'
import type { TextPatch } from '../../state/host-edit.ts'
import type { JsonDocument } from './json-document.ts'
import { detectLayout, lineIndent, type ItemLayout, type JsonStyle } from './json-style.ts'
import { isComment, tokensBetween } from './json-tokens.ts'
import { replaceRange } from './text-patch.ts'

/** Writes the item for the place it gets. */
export type ItemText = (layout: ItemLayout) => string

/**
 * Adds an item after the last one of an array or object: comments, trailing commas and white space of the
 * text stay where they are. The item takes its leading white space with it, so `cutItem` is the exact inverse.
 */
export const appendItem = (document: JsonDocument, container: Node, style: JsonStyle, item: ItemText): TextPatch[] => {
  const layout = detectLayout(document, container, style)
  const last = container.children?.at(-1)
  const end = container.offset + container.length - 1
  return last === undefined
    ? insertIntoEmpty(document.text, container, end, style, layout, item(layout))
    : appendAfterLast(document.text, last.offset + last.length, end, style, layout, item(layout))
}

const appendAfterLast = (
  text: string,
  lastEnd: number,
  end: number,
  style: JsonStyle,
  layout: ItemLayout,
  item: string,
): TextPatch[] => {
  const lead = layout.ownLine ? style.eol + layout.indent : style.spaced ? ' ' : ''
  const { comma, anchor } = findTail(text, lastEnd, end, layout.ownLine)
  if (comma !== -1) return [replaceRange(text, anchor, anchor, `${lead}${item},`)]
  if (anchor === lastEnd) return [replaceRange(text, lastEnd, lastEnd, `,${lead}${item}`)]
  return [replaceRange(text, anchor, anchor, lead + item), replaceRange(text, lastEnd, lastEnd, ',')]
}

/**
 * Behind the last item: its trailing comma (-1: none), and where the next item's white space begins. A comment on the
 * line of the last item is about that item and stays on its line.
 */
const findTail = (text: string, lastEnd: number, end: number, ownLine: boolean): { comma: number; anchor: number } => {
  let comma = -1
  let anchor = lastEnd
  let sameLine = true
  for (const token of tokensBetween(text, lastEnd, end)) {
    if (token.kind === 'break') sameLine = false
    else if (token.kind === 'comma') {
      comma = token.start
      anchor = token.end
      sameLine = true
    } else if (isComment(token) && sameLine && ownLine) {
      anchor = token.end
      sameLine = !/[\r\n]/.test(text.slice(token.start, token.end))
    }
  }
  return { comma, anchor }
}

const insertIntoEmpty = (
  text: string,
  container: Node,
  end: number,
  style: JsonStyle,
  layout: ItemLayout,
  item: string,
): TextPatch[] => {
  const comment = tokensBetween(text, container.offset + 1, end).findLast(isComment)
  const start = comment?.end ?? container.offset + 1
  if (layout.ownLine) {
    const closing = style.eol + lineIndent(text, container.offset)
    return [replaceRange(text, start, end, style.eol + layout.indent + item + closing)]
  }
  return comment === undefined
    ? [replaceRange(text, start, end, item)]
    : [replaceRange(text, start, start, (style.spaced ? ' ' : '') + item)]
}
