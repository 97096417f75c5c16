import type { Node } from 'jsonc-parser'
import { GsdError } from '../../errors.ts'
import type { ContainerRecord, TextPatch } from '../../state/host-edit.ts'
import { parseDocument, type JsonDocument } from './json-document.ts'
import { applyPatches } from './text-patch.ts'

/** A text that is being edited: its present content, the patches so far, and the containers to restore on removal. */
export interface JsonDraft {
  readonly document: JsonDocument
  readonly patches: readonly TextPatch[]
  readonly containers: readonly ContainerRecord[]
}

/**
 * Applies patches and proves the result: the new text is parsed and must differ from the tree before exactly as expected.
 * @throws INTERNAL_ERROR when it does not; nothing has been written then.
 */
export const applyStep = (
  draft: JsonDraft,
  patches: readonly TextPatch[],
  expected: ExpectedChange = {},
): JsonDraft => {
  const { document } = draft
  const text = applyPatches(document.text, patches)
  const after = text === null ? null : parseDocument(text, document.file)
  if (after === null || outlineOf(after) !== outlineOf(document, expected)) {
    throw new GsdError('INTERNAL_ERROR', `the edit of ${document.file} could not be verified; nothing was written`, {
      details: { file: document.file },
    })
  }
  return { ...draft, document: after, patches: [...draft.patches, ...patches] }
}

/** Replaces the whole text where one side is blank, so that there is no tree to compare. */
export const replaceText = (draft: JsonDraft, text: string): JsonDraft => ({
  ...draft,
  document: parseDocument(text, draft.document.file),
  patches: [...draft.patches, { offset: 0, remove: draft.document.text, insert: text }],
})

export const addContainer = (draft: JsonDraft, record: ContainerRecord): JsonDraft =>
  draft.containers.some(({ pointer }) => pointer === record.pointer)
    ? draft
    : { ...draft, containers: [...draft.containers, record] }

export const removeContainer = (draft: JsonDraft, pointer: string): JsonDraft => ({
  ...draft,
  containers: draft.containers.filter((record) => record.pointer !== pointer),
})

/** All members of an object that have this name: more than one where the text repeats a key. */
export const findMembers = (object: Node | null | undefined, name: string): Node[] =>
  object?.type === 'object' ? (object.children ?? []).filter((member) => member.children?.[0]?.value === name) : []

export const memberValue = (member: Node | undefined): Node | undefined => member?.children?.[1]

/** The text between the brackets. */
export const textBetweenBrackets = ({ text }: JsonDocument, container: Node): string =>
  text.slice(container.offset + 1, container.offset + container.length - 1)

const outlineOf = ({ text, root }: JsonDocument, expected?: ExpectedChange): string =>
  root === null ? '' : outline(text, root, expected)

/** How a text is to differ from the one before; everything else must be the same. */
export interface ExpectedChange {
  readonly removed?: Node
  /** A member or item, written compactly, that is to follow the last one of a container. */
  readonly added?: { readonly to: Node; readonly item: string }
}

/**
 * A tree as one line: order, duplicate keys and the digits of numbers as written, without white space and comments. Texts
 * with the same outline mean the same to every reader.
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

const outlineOfMember = (text: string, property: Node, expected: ExpectedChange): string => {
  const [key, value] = property.children ?? []
  return `${JSON.stringify(key?.value)}:${value === undefined ? '' : outline(text, value, expected)}`
}
