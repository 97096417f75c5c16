import type { Node } from 'jsonc-parser'
import type { JsonDocument } from './document.ts'
import { lineStart } from './position.ts'

/** How a text writes its JSON: what our part has to look like to pass for the user's own hand. */
export interface Style {
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
  /** `"a": 1` rather than `"a":1`. */
  readonly spaced: boolean
}

/** Where a new item of a container goes. */
export interface Layout {
  /** It starts a line of its own, at `indent`. */
  readonly ownLine: boolean
  /** Its own members stand on lines of their own, deeper than `indent`. */
  readonly spread: boolean
  readonly indent: string
}

export const DEFAULT_STYLE: Style = { eol: '\n', unit: '  ', spaced: true }

export const styleOf = ({ text, root }: JsonDocument): Style => {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? DEFAULT_STYLE.eol
  const first = root?.children?.[0]
  const colon = first?.colonOffset
  return {
    eol,
    unit: (first && ownLineIndent(text, first.offset)) || (/^\t/m.test(text) ? '\t' : DEFAULT_STYLE.unit),
    spaced: colon === undefined || /\s/.test(text.charAt(colon + 1)),
  }
}

/** The layout of an item that is added behind the last one of `container`. */
export const layoutOf = ({ text, root }: JsonDocument, container: Node, { unit }: Style): Layout => {
  const last = container.children?.at(-1)
  if (last !== undefined) {
    const indent = ownLineIndent(text, last.offset)
    if (indent !== null) return { ownLine: true, spread: true, indent }
    return { ownLine: false, spread: hasBreak(text, container), indent: lineIndent(text, last.offset) }
  }
  if (container !== root && root !== null && !hasBreak(text, root)) return { ownLine: false, spread: false, indent: '' }
  return { ownLine: true, spread: true, indent: lineIndent(text, container.offset) + unit }
}

/** The blanks a line starts with, for the line on which `offset` lies. */
export const lineIndent = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

/** The blanks before `offset` when nothing else stands before it on its line. */
const ownLineIndent = (text: string, offset: number): string | null => {
  const before = text.slice(lineStart(text, offset), offset)
  return /^[ \t]*$/.test(before) ? before : null
}

const hasBreak = (text: string, node: Node): boolean =>
  /[\r\n]/.test(text.slice(node.offset, node.offset + node.length))
