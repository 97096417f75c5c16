import type { Node } from 'jsonc-parser'
import type { Json } from '../../state/json-text.ts'
import type { JsonDocument } from './json-document.ts'
import { lineStart } from './text-patch.ts'

/** How a text writes its JSON; our part is written in the same way. */
export interface JsonStyle {
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
  /** `"a": 1` rather than `"a":1`. */
  readonly spaced: boolean
}

/** Where a new item of a container goes. */
export interface ItemLayout {
  /** It starts a line of its own, at `indent`. */
  readonly ownLine: boolean
  /** Its members are on lines of their own, deeper than `indent`. */
  readonly spread: boolean
  readonly indent: string
}

export const DEFAULT_STYLE: JsonStyle = { eol: '\n', unit: '  ', spaced: true }

export const detectStyle = ({ text, root }: JsonDocument): JsonStyle => {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? DEFAULT_STYLE.eol
  const first = root?.children?.[0]
  const colon = first?.colonOffset
  return {
    eol,
    unit: (first && ownLineIndent(text, first.offset)) || (/^\t/m.test(text) ? '\t' : DEFAULT_STYLE.unit),
    spaced: colon === undefined || /\s/.test(text.charAt(colon + 1)),
  }
}

/** The layout of an item that is added after the last one of `container`. */
export const detectLayout = ({ text, root }: JsonDocument, container: Node, { unit }: JsonStyle): ItemLayout => {
  const last = container.children?.at(-1)
  if (last !== undefined) {
    const indent = ownLineIndent(text, last.offset)
    if (indent !== null) return { ownLine: true, spread: true, indent }
    return { ownLine: false, spread: hasLineBreak(text, container), indent: lineIndent(text, last.offset) }
  }
  if (container !== root && root !== null && !hasLineBreak(text, root))
    return { ownLine: false, spread: false, indent: '' }
  return { ownLine: true, spread: true, indent: lineIndent(text, container.offset) + unit }
}

/** The indentation of the line at `offset`. */
export const lineIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

/** The indentation before `offset`, if there is nothing else before it on its line. */
const ownLineIndent = (text: string, offset: number): string | null => {
  const before = text.slice(lineStart(text, offset), offset)
  return /^[ \t]*$/.test(before) ? before : null
}

const hasLineBreak = (text: string, node: Node): boolean =>
  /[\r\n]/.test(text.slice(node.offset, node.offset + node.length))

/**
 * A value as text in the style of its surroundings. `spread`: one member a line, the closing bracket at `indent`;
 * otherwise all on one line. Strings are written as `JSON.stringify` writes them.
 */
export const writeJson = (
  value: Json,
  style: JsonStyle,
  { spread, indent }: Pick<ItemLayout, 'spread' | 'indent'>,
): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = { spread, indent: indent + style.unit }
  const [open, close, members] = isArray(value)
    ? ['[', ']', value.map((item) => writeJson(item, style, inner))]
    : ['{', '}', Object.entries(value).map(([key, member]) => writeMember(key, member, style, inner))]
  if (members.length === 0) return open + close
  if (!spread) return open + members.join(style.spaced ? ', ' : ',') + close
  return `${open}${style.eol}${inner.indent}${members.join(`,${style.eol}${inner.indent}`)}${style.eol}${indent}${close}`
}

/** `"key": value`. */
export const writeMember = (
  key: string,
  value: Json,
  style: JsonStyle,
  layout: Pick<ItemLayout, 'spread' | 'indent'>,
): string => `${JSON.stringify(key)}:${style.spaced ? ' ' : ''}${writeJson(value, style, layout)}`

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value)
