import type { Node } from 'jsonc-parser'
import type { Json } from '../../state/json-text.ts'

/** What is to differ between two texts; everything else must be the same. */
export interface ExpectedChange {
  readonly removed?: Node
  /** Members or items that are to stand behind the last one of a container, written compactly. */
  readonly added?: { readonly to: Node; readonly item: string }
}

/**
 * A tree as one line: order, duplicate keys and the digits of numbers as written, without blanks and comments. Two
 * texts with the same outline say the same to every reader.
 */
export const outline = (text: string, node: Node, expected: ExpectedChange = {}): string => {
  if (node.type !== 'array' && node.type !== 'object') {
    return node.type === 'string' ? JSON.stringify(node.value) : text.slice(node.offset, node.offset + node.length)
  }
  const children = (node.children ?? []).filter((child) => child !== expected.removed)
  const items = children.map((child) =>
    child.type === 'property' ? outlineOfMember(text, child, expected) : outline(text, child, expected),
  )
  if (expected.added?.to === node) items.push(expected.added.item)
  return node.type === 'array' ? `[${items.join()}]` : `{${items.join()}}`
}

/** A value written as {@link outline} would write it. */
export const outlineOfJson = (value: Json): string => JSON.stringify(value)

const outlineOfMember = (text: string, property: Node, expected: ExpectedChange): string => {
  const [key, value] = property.children ?? []
  return `${JSON.stringify(key?.value)}:${value === undefined ? '' : outline(text, value, expected)}`
}
