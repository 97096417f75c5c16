import type { Node } from 'jsonc-parser'
import type { ContainerRecord } from '../host-edit.ts'
import { commentsIn, cutItem } from './cut.ts'
import { isBlank } from './document.ts'
import { forget, gapOf, membersNamed, replaceAll, step, valueOf, type Draft } from './draft.ts'
import { hasMore, nodeAt, type Entry } from './entries.ts'
import type { JsonSurface } from './json-surface.ts'
import { styleOf } from './layout.ts'
import { replaceRange } from './patch.ts'

/**
 * Takes one entry out: the handler, and with it the group that was only there for it. A group that holds another
 * handler, or that the user gave a member of its own, stays.
 */
export const withdrawEntry = (draft: Draft, surface: JsonSurface, entry: Entry): Draft => {
  const inGroup = surface.grouped && entry.path.length > 5
  const groupPath = entry.path.slice(0, 5)
  const group = inGroup ? nodeAt(draft.document.root, groupPath) : undefined
  const alone = (nodeAt(draft.document.root, entry.path.slice(0, -1))?.children ?? []).length === 1
  const whole = group !== undefined && alone && !hasMore(group, ['matcher', 'hooks'])
  return cutAt(draft, whole ? groupPath : entry.path)
}

/**
 * Gives back the containers that are empty now: those we made go, of the others the gap is put back. What a user typed
 * into one of ours keeps it. Whatever is decided is forgotten; a container in use is remembered while `inUse`.
 */
export const sweepContainers = (draft: Draft, inUse: boolean): Draft => {
  const deepestFirst = draft.containers.toSorted((a, b) => depth(b) - depth(a))
  const swept = deepestFirst.reduce((now, record) => sweepOne(now, record), draft)
  return inUse ? swept : { ...swept, containers: [] }
}

const sweepOne = (draft: Draft, record: ContainerRecord): Draft => {
  if (record.pointer === '') return sweepRoot(draft, record)
  const { root } = draft.document
  const [, first = '', second] = record.pointer.split('/')
  const found = only(
    membersNamed(second === undefined ? root : valueOf(only(membersNamed(root, first))), second ?? first),
  )
  const value = valueOf(found)
  if (found === undefined || value === undefined) return forget(draft, record.pointer)
  if (first === 'version') return holdsHooks(root) ? draft : forget(cutMember(draft, found), record.pointer)
  if ((value.children ?? []).length > 0) return draft
  if (!record.made) return forget(restoreGap(draft, value, record.gap), record.pointer)
  const typedInto = commentsIn(draft.document.text, found).length > 0
  return forget(typedInto ? draft : cutMember(draft, found), record.pointer)
}

const sweepRoot = (draft: Draft, record: ContainerRecord): Draft => {
  const { text, root } = draft.document
  if (root?.type !== 'object' || (root.children ?? []).length > 0) return draft
  if (!record.made) return forget(restoreGap(draft, root, record.gap), '')
  const around = text.slice(0, root.offset) + text.slice(root.offset + root.length)
  const untouched = isBlank(around) && isBlank(gapOf(draft.document, root))
  return forget(untouched ? replaceAll(draft, record.gap) : draft, '')
}

/** The gap comes back when it still says what it said; blanks are ours to set. */
const restoreGap = (draft: Draft, container: Node, gap: string): Draft => {
  const now = gapOf(draft.document, container)
  if (now === gap || now.trim() !== gap.trim()) return draft
  const start = container.offset + 1
  return step(draft, [replaceRange(draft.document.text, start, start + now.length, gap)])
}

const cutMember = (draft: Draft, found: Node): Draft => {
  const parent = found.parent ?? draft.document.root
  return parent?.children === undefined ? draft : cutChild(draft, parent, parent.children.indexOf(found))
}

/** Takes out the member or item that a path of child indices leads to. */
export const cutAt = (draft: Draft, path: readonly number[]): Draft => {
  const parent = nodeAt(draft.document.root, path.slice(0, -1))
  return parent === undefined ? draft : cutChild(draft, parent, path.at(-1) ?? -1)
}

const cutChild = (draft: Draft, parent: Node, index: number): Draft => {
  const removed = parent.children?.[index]
  if (removed === undefined) return draft
  return step(draft, cutItem(draft.document, parent, index, styleOf(draft.document)), { removed })
}

const holdsHooks = (root: Node | null): boolean =>
  membersNamed(root, 'hooks').some((hooks) =>
    (valueOf(hooks)?.children ?? []).some((event) => (valueOf(event)?.children ?? []).length > 0),
  )

const only = (members: readonly Node[]): Node | undefined => (members.length === 1 ? members[0] : undefined)

const depth = ({ pointer }: ContainerRecord): number => pointer.split('/').length
