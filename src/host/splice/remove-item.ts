import type { Node } from 'jsonc-parser'
import type { TextPatch } from '../../state/host-edit.ts'
import type { JsonDocument } from './json-document.ts'
import { lineIndent, type JsonStyle } from './json-style.ts'
import { findComma, isComment, tokensBetween } from './json-tokens.ts'
import { replaceRange } from './text-patch.ts'

/**
 * Takes the item at `index` out of its array or object, with its leading white space and one comma. Comments inside the
 * item were typed by the user: they stay in its place. Patches are in the order in which they apply.
 */
export const removeItem = ({ text }: JsonDocument, container: Node, index: number, style: JsonStyle): TextPatch[] => {
  const items = container.children ?? []
  const item = items[index]
  if (item === undefined) return []
  const next = items[index + 1]
  const before = items[index - 1]
  const end = item.offset + item.length
  const beforeEnd = before === undefined ? container.offset + 1 : before.offset + before.length
  const nextStart = next?.offset ?? container.offset + container.length - 1
  const commaAfter = findComma(text, end, nextStart)
  const commaBefore = before === undefined ? -1 : findComma(text, beforeEnd, item.offset)

  const comments = commentsIn(text, item)
  if (comments.length === 0 && before === undefined && next !== undefined && hasNoComment(text, end, nextStart)) {
    return [replaceRange(text, item.offset, nextStart, '')]
  }
  const adjacent = commaAfter === end
  const cutEnd = adjacent ? end + 1 : end
  const cut =
    comments.length === 0
      ? replaceRange(text, leadingSpaceStart(text, beforeEnd, item.offset, cutEnd), cutEnd, '')
      : replaceRange(text, item.offset, cutEnd, preservedComments(text, comments, cutEnd, style, item))
  return [
    ...(commaAfter > end ? [replaceRange(text, commaAfter, commaAfter + 1, '')] : []),
    cut,
    ...(commaAfter === -1 && commaBefore !== -1 ? [replaceRange(text, commaBefore, commaBefore + 1, '')] : []),
  ]
}

/** The comments inside a value: what a user typed into a part of ours. */
export const commentsIn = (text: string, node: Node): string[] =>
  tokensBetween(text, node.offset, node.offset + node.length)
    .filter(isComment)
    .map(({ start, end }) => text.slice(start, end))

const hasNoComment = (text: string, start: number, end: number): boolean =>
  !tokensBetween(text, start, end).some(isComment)

/**
 * Where the item's leading white space begins: at the last line break before it, or right after what precedes it on
 * its line. The break stays when it ends a line comment and what follows would run into that comment.
 */
const leadingSpaceStart = (text: string, beforeEnd: number, itemStart: number, cutEnd: number): number => {
  const tokens = tokensBetween(text, beforeEnd, itemStart)
  let first = tokens.length
  while (first > 0) {
    const kind = tokens[first - 1]?.kind
    if (kind !== 'space' && kind !== 'break') break
    first--
    if (kind === 'break') break
  }
  const endsComment = tokens[first - 1]?.kind === 'line-comment'
  if (endsComment && !/^[ \t]*[\r\n]/.test(text.slice(cutEnd))) return itemStart
  return tokens[first]?.start ?? itemStart
}

const preservedComments = (
  text: string,
  comments: readonly string[],
  cutEnd: number,
  style: JsonStyle,
  item: Node,
): string => {
  const lineBreak = style.eol + lineIndent(text, item.offset)
  const open = comments.at(-1)?.startsWith('//') === true && !/^[ \t]*[\r\n]/.test(text.slice(cutEnd))
  return comments.join(lineBreak) + (open ? lineBreak : '')
}
