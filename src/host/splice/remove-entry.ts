import type { Node } from 'jsonc-parser'
import type { ContainerRecord, HostEntry } from '../../state/host-edit.ts'
import type { SpliceRequest, SpliceResult } from '../surfaces/surface.ts'
import { isBlank, type JsonDocument } from './json-document.ts'
import {
  applyStep,
  findMembers,
  type JsonDraft,
  memberValue,
  removeContainer,
  replaceText,
  textBetweenBrackets,
} from './json-draft.ts'
import type { JsonHookFormat } from './json-entries.ts'
import { findNode, hasExtraMembers, type JsonEntry } from './json-entries.ts'
import { detectStyle } from './json-style.ts'
import { commentsIn, removeItem } from './remove-item.ts'
import { replaceRange } from './text-patch.ts'

/** What matching found, and how an entry is inserted and removed. */
interface DraftEdits<F, E> {
  readonly toAdd: readonly E[]
  readonly toRemove: readonly { readonly found: F }[]
  readonly insert: (draft: JsonDraft, entry: E) => JsonDraft
  readonly remove: (draft: JsonDraft, found: F) => JsonDraft
}

/** Inserts, then removes from the end so that earlier paths stay valid, then restores containers that became empty. */
export const spliceDocument = <F extends { readonly offset: number }, E extends HostEntry>(
  document: JsonDocument,
  { containers, remove, inUse }: SpliceRequest<E>,
  edits: DraftEdits<F, E>,
): Omit<SpliceResult, 'warnings'> => {
  const filled = edits.toAdd.reduce(edits.insert, { document, patches: [], containers })
  const lastFirst = edits.toRemove.map(({ found }) => found).toSorted((a, b) => b.offset - a.offset)
  const emptied = lastFirst.reduce(edits.remove, filled)
  const done = remove.length > 0 ? restoreContainers(emptied, inUse) : emptied
  return { text: done.document.text, patches: done.patches, containers: done.containers }
}

/**
 * Removes one entry: the handler, and with it a group that held only this handler. A group that holds another handler, or
 * that the user gave a member of its own, stays.
 */
export const removeEntry = (draft: JsonDraft, format: JsonHookFormat, entry: JsonEntry): JsonDraft => {
  const inGroup = format.grouped && entry.path.length > 5
  const groupPath = entry.path.slice(0, 5)
  const group = inGroup ? findNode(draft.document.root, groupPath) : undefined
  const alone = (findNode(draft.document.root, entry.path.slice(0, -1))?.children ?? []).length === 1
  const whole = group !== undefined && alone && !hasExtraMembers(group, ['matcher', 'hooks'])
  return removeAt(draft, whole ? groupPath : entry.path)
}

/**
 * Restores the containers that are empty now: those we created are removed, the others get their gap back. A comment of the
 * user keeps a container of ours. A record is dropped once decided; that of a container in use stays while `inUse`.
 */
const restoreContainers = (draft: JsonDraft, inUse: boolean): JsonDraft => {
  const deepestFirst = draft.containers.toSorted((a, b) => depth(b) - depth(a))
  const restored = deepestFirst.reduce((now, record) => restoreContainer(now, record), draft)
  return inUse ? restored : { ...restored, containers: [] }
}

const restoreContainer = (draft: JsonDraft, record: ContainerRecord): JsonDraft => {
  if (record.pointer === '') return restoreRoot(draft, record)
  const { root } = draft.document
  const [, first = '', second] = record.pointer.split('/')
  const found = singleMember(
    findMembers(second === undefined ? root : memberValue(singleMember(findMembers(root, first))), second ?? first),
  )
  const value = memberValue(found)
  if (found === undefined || value === undefined) return removeContainer(draft, record.pointer)
  if (first === 'version') return hasHooks(root) ? draft : removeContainer(removeMember(draft, found), record.pointer)
  if ((value.children ?? []).length > 0) return draft
  if (!record.made) return removeContainer(restoreGap(draft, value, record.gap), record.pointer)
  const hasComments = commentsIn(draft.document.text, found).length > 0
  return removeContainer(hasComments ? draft : removeMember(draft, found), record.pointer)
}

const restoreRoot = (draft: JsonDraft, record: ContainerRecord): JsonDraft => {
  const { text, root } = draft.document
  if (root?.type !== 'object' || (root.children ?? []).length > 0) return draft
  if (!record.made) return removeContainer(restoreGap(draft, root, record.gap), '')
  const around = text.slice(0, root.offset) + text.slice(root.offset + root.length)
  const untouched = isBlank(around) && isBlank(textBetweenBrackets(draft.document, root))
  return removeContainer(untouched ? replaceText(draft, record.gap) : draft, '')
}

/** Puts the gap back unless something else than white space changed in it. */
const restoreGap = (draft: JsonDraft, container: Node, gap: string): JsonDraft => {
  const now = textBetweenBrackets(draft.document, container)
  if (now === gap || now.trim() !== gap.trim()) return draft
  const start = container.offset + 1
  return applyStep(draft, [replaceRange(draft.document.text, start, start + now.length, gap)])
}

const removeMember = (draft: JsonDraft, found: Node): JsonDraft => {
  const parent = found.parent ?? draft.document.root
  return parent?.children === undefined ? draft : removeChild(draft, parent, parent.children.indexOf(found))
}

/** Removes the member or item at a path of child indices. */
export const removeAt = (draft: JsonDraft, path: readonly number[]): JsonDraft => {
  const parent = findNode(draft.document.root, path.slice(0, -1))
  return parent === undefined ? draft : removeChild(draft, parent, path.at(-1) ?? -1)
}

const removeChild = (draft: JsonDraft, parent: Node, index: number): JsonDraft => {
  const removed = parent.children?.[index]
  if (removed === undefined) return draft
  return applyStep(draft, removeItem(draft.document, parent, index, detectStyle(draft.document)), { removed })
}

const hasHooks = (root: Node | null): boolean =>
  findMembers(root, 'hooks').some((hooks) =>
    (memberValue(hooks)?.children ?? []).some((event) => (memberValue(event)?.children ?? []).length > 0),
  )

const singleMember = (members: readonly Node[]): Node | undefined => (members.length === 1 ? members[0] : undefined)

const depth = ({ pointer }: ContainerRecord): number => pointer.split('/').length
