import type { Node } from 'jsonc-parser'
import { GsdError } from '../../errors.ts'
import type { ContainerRecord, TextPatch } from '../../state/host-edit.ts'
import { parseDocument, type JsonDocument } from './json-document.ts'
import { outline, type ExpectedChange } from './json-outline.ts'
import { applyPatches } from './text-patch.ts'

/** A text on its way from before to after: what it says now, how it came there, and what we must give back later. */
export interface JsonDraft {
  readonly document: JsonDocument
  readonly patches: readonly TextPatch[]
  readonly containers: readonly ContainerRecord[]
}

/**
 * Takes one step and proves it: the text is parsed anew and must say what the tree before says with exactly the expected
 * difference. @throws INTERNAL_ERROR when it does not; nothing has been written then.
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
    throw new GsdError(
      'INTERNAL_ERROR',
      `the edit of ${document.file} could not be proven right; nothing was written`,
      {
        details: { file: document.file },
      },
    )
  }
  return { ...draft, document: after, patches: [...draft.patches, ...patches] }
}

/** Replaces the whole text where there is no tree to compare: a blank text begins to hold an object, or ends to. */
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
