import type { Node } from 'jsonc-parser'
import type { HostHook } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import { appendItem } from './append-item.ts'
import { shapeError } from './json-document.ts'
import {
  addContainer,
  applyStep,
  findMembers,
  type JsonDraft,
  memberValue,
  replaceText,
  textBetweenBrackets,
} from './json-draft.ts'
import { type JsonHookFormat, renderHook } from './json-entries.ts'
import { DEFAULT_STYLE, detectStyle, writeJson, writeMember } from './json-style.ts'

/**
 * Appends one hook after everything else in its event. Containers that are missing are created and recorded; of empty ones
 * the text between the brackets is recorded.
 * @throws HOST_SETTINGS_SHAPE when a container is not what the host reads.
 */
export const insertHook = (draft: JsonDraft, format: JsonHookFormat, hook: HostHook): JsonDraft => {
  const entry = renderHook(format, hook)
  const rooted = ensureVersion(ensureRoot(draft), format)
  const root = rooted.document.root as Node
  const hooks = requireContainer(rooted, root, 'hooks', 'object')
  if (hooks === null) {
    const made = addMember(rooted, root, '', 'hooks', { [hook.event]: [entry] })
    return addContainer(made, { pointer: `/hooks/${hook.event}`, made: true, gap: '' })
  }
  const list = requireContainer(rooted, hooks, hook.event, 'array')
  if (list === null) return addMember(rooted, hooks, '/hooks', hook.event, [entry])
  const ready = recordGap(rooted, list, `/hooks/${hook.event}`)
  const style = detectStyle(ready.document)
  const patches = appendItem(ready.document, list, style, (layout) => writeJson(entry, style, layout))
  return applyStep(ready, patches, { added: { to: list, item: JSON.stringify(entry) } })
}

/** A blank text gets an empty object as its root; any other root must be an object. */
export const ensureRoot = (draft: JsonDraft): JsonDraft => {
  const { text, root } = draft.document
  if (root === null) {
    const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? DEFAULT_STYLE.eol
    return addContainer(replaceText(draft, `${bom}{}${eol}`), { pointer: '', made: true, gap: text })
  }
  if (root.type !== 'object') {
    throw shapeError(
      draft.document,
      root.offset,
      `the host reads an object here, not ${typeName(root)}`,
      'make it `{}`',
    )
  }
  return draft
}

/** A host that requires `"version": 1` reads no file without it, so hooks of the user would start to run if we added it. */
const ensureVersion = (draft: JsonDraft, format: JsonHookFormat): JsonDraft => {
  const { document } = draft
  const root = document.root as Node
  if (!format.versioned) return draft
  const found = memberValue(requireSingleMember(draft, root, 'version'))
  if (found !== undefined) {
    if (found.type === 'number' && found.value === 1) return draft
    throw shapeError(
      document,
      found.offset,
      '"version" must be the number 1 for the host to read this file',
      'set "version": 1',
    )
  }
  const hooks = memberValue(requireSingleMember(draft, root, 'hooks'))
  if (hooks !== undefined && (hooks.children ?? []).length > 0) {
    throw shapeError(
      document,
      root.offset,
      'there is no "version", so the host does not read the hooks in this file',
      'add "version": 1 if you want these hooks to run',
    )
  }
  return addMember(draft, root, '', 'version', 1)
}

/** Appends a member to an object, and records that it is ours. */
export const addMember = (draft: JsonDraft, object: Node, parent: string, key: string, value: Json): JsonDraft => {
  const ready = recordGap(draft, object, parent)
  const style = detectStyle(ready.document)
  const patches = appendItem(ready.document, object, style, (layout) => writeMember(key, value, style, layout))
  const added = { to: object, item: `${JSON.stringify(key)}:${JSON.stringify(value)}` }
  return addContainer(applyStep(ready, patches, { added }), { pointer: `${parent}/${key}`, made: true, gap: '' })
}

/** Records the text between the brackets of an empty container. */
export const recordGap = (draft: JsonDraft, container: Node, pointer: string): JsonDraft =>
  (container.children ?? []).length === 0
    ? addContainer(draft, { pointer, made: false, gap: textBetweenBrackets(draft.document, container) })
    : draft

/** The value of a member that must be of one type; null when there is no such member. */
export const requireContainer = (
  draft: JsonDraft,
  object: Node,
  key: string,
  type: 'object' | 'array',
): Node | null => {
  const found = memberValue(requireSingleMember(draft, object, key))
  if (found === undefined) return null
  if (found.type === type) return found
  const [expected, empty] = type === 'object' ? ['an object', '{}'] : ['an array', '[]']
  throw shapeError(
    draft.document,
    found.offset,
    `the host reads ${expected} in "${key}", not ${typeName(found)}`,
    `make "${key}" ${empty}, or remove it`,
  )
}

const requireSingleMember = (draft: JsonDraft, object: Node, key: string): Node | undefined => {
  const [first, second] = findMembers(object, key)
  if (second !== undefined) {
    throw shapeError(
      draft.document,
      second.offset,
      `there are two "${key}" members, and the host reads only one of them`,
      `merge the two "${key}" members`,
    )
  }
  return first
}

const typeName = (node: Node): string =>
  node.type === 'null' ? 'null' : `${/^[ao]/.test(node.type) ? 'an' : 'a'} ${node.type}`
