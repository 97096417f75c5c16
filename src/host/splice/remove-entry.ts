import type { Node } from 'jsonc-parser'
import type { ContainerRecord } from '../../state/host-edit.ts'
import { isBlank } from './json-document.ts'
import {
  removeContainer,
  textBetweenBrackets,
  findMembers,
  replaceText,
  applyStep,
  memberValue,
  type JsonDraft,
} from './json-draft.ts'
import { hasExtraMembers, findNode, type JsonEntry } from './json-entries.ts'
import type { JsonHookFormat } from './json-hook-format.ts'
import { detectStyle } from './json-style.ts'
import { commentsIn, removeItem } from './remove-item.ts'
import { replaceRange } from './text-patch.ts'

/**
 * Takes one entry out: the handler, and with it the group that was only there for it. A group that holds another
 * handler, or that the user gave a member of its own, stays.
 */
export const removeEntry = (draft: JsonDraft, surface: JsonHookFormat, entry: JsonEntry): JsonDraft => {
  const inGroup = surface.grouped && entry.path.length > 5
  const groupPath = entry.path.slice(0, 5)
  const group = inGroup ? findNode(draft.document.root, groupPath) : undefined
  const alone = (findNode(draft.document.root, entry.path.slice(0, -1))?.children ?? []).length === 1
  const whole = group !== undefined && alone && !hasExtraMembers(group, ['matcher', 'hooks'])
  return removeAt(draft, whole ? groupPath : entry.path)
}

/**
 * Gives back the containers that are empty now: those we made go, of the others the gap is put back. What a user typed
 * into one of ours keeps it. Whatever is decided is forgotten; a container in use is remembered while `inUse`.
 */
export const restoreContainers = (draft: JsonDraft, inUse: boolean): JsonDraft => {
  const deepestFirst = draft.containers.toSorted((a, b) => depth(b) - depth(a))
  const swept = deepestFirst.reduce((now, record) => restoreContainer(now, record), draft)
  return inUse ? swept : { ...swept, containers: [] }
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
  const typedInto = commentsIn(draft.document.text, found).length > 0
  return removeContainer(typedInto ? draft : removeMember(draft, found), record.pointer)
}

const restoreRoot = (draft: JsonDraft, record: ContainerRecord): JsonDraft => {
  const { text, root } = draft.document
  if (root?.type !== 'object' || (root.children ?? []).length > 0) return draft
  if (!record.made) return removeContainer(restoreGap(draft, root, record.gap), '')
  const around = text.slice(0, root.offset) + text.slice(root.offset + root.length)
  const untouched = isBlank(around) && isBlank(textBetweenBrackets(draft.document, root))
  return removeContainer(untouched ? replaceText(draft, record.gap) : draft, '')
}

/** The gap comes back when it still says what it said; blanks are ours to set. */
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

/** Takes out the member or item that a path of child indices leads to. */
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
