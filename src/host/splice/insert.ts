import type { Node } from 'jsonc-parser'
import type { Json } from '../../store/journal-entry.ts'
import type { HostHook } from '../host-edit.ts'
import { appendItem } from './append.ts'
import { wrongShape } from './document.ts'
import { gapOf, membersNamed, remember, replaceAll, step, valueOf, type Draft } from './draft.ts'
import { entryFor, type JsonSurface } from './json-surface.ts'
import { DEFAULT_STYLE, styleOf } from './layout.ts'
import { outlineOf } from './outline.ts'
import { writeJson, writeMember } from './write-json.ts'

/**
 * Appends one hook behind everything else in its event. Containers that are missing are made and remembered; of those
 * that are empty the gap is remembered.
 * @throws HOST_SETTINGS_SHAPE when something on the way to our place is not what the host reads.
 */
export const insertHook = (draft: Draft, surface: JsonSurface, hook: HostHook): Draft => {
  const entry = entryFor(surface, hook)
  const rooted = withVersion(withRoot(draft), surface)
  const root = rooted.document.root as Node
  const hooks = member(rooted, root, 'hooks', 'object')
  if (hooks === null) {
    const made = makeMember(rooted, root, '', 'hooks', { [hook.event]: [entry] })
    return remember(made, { pointer: `/hooks/${hook.event}`, made: true, gap: '' })
  }
  const list = member(rooted, hooks, hook.event, 'array')
  if (list === null) return makeMember(rooted, hooks, '/hooks', hook.event, [entry])
  const ready = rememberGap(rooted, list, `/hooks/${hook.event}`)
  const style = styleOf(ready.document)
  const patches = appendItem(ready.document, list, style, (layout) => writeJson(entry, style, layout))
  return step(ready, patches, { added: { to: list, item: outlineOf(entry) } })
}

/** A blank text begins with an empty object; a root that is there must be one. */
export const withRoot = (draft: Draft): Draft => {
  const { text, root } = draft.document
  if (root === null) {
    const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? DEFAULT_STYLE.eol
    return remember(replaceAll(draft, `${bom}{}${eol}`), { pointer: '', made: true, gap: text })
  }
  if (root.type !== 'object') {
    throw wrongShape(draft.document, root.offset, `the host reads an object here, not ${nameOf(root)}`, 'make it `{}`')
  }
  return draft
}

/** A host that wants `"version": 1` reads no file without it, so hooks of the user would begin to run if we added it. */
const withVersion = (draft: Draft, surface: JsonSurface): Draft => {
  const { document } = draft
  const root = document.root as Node
  if (!surface.versioned) return draft
  const found = valueOf(onlyMember(draft, root, 'version'))
  if (found !== undefined) {
    if (found.type === 'number' && found.value === 1) return draft
    throw wrongShape(
      document,
      found.offset,
      '"version" must be the number 1 for the host to read this file',
      'set "version": 1',
    )
  }
  const hooks = valueOf(onlyMember(draft, root, 'hooks'))
  if (hooks !== undefined && (hooks.children ?? []).length > 0) {
    throw wrongShape(
      document,
      root.offset,
      'there is no "version", so the host does not read the hooks in this file',
      'add "version": 1 if these hooks are to run',
    )
  }
  return makeMember(draft, root, '', 'version', 1)
}

/** Appends a member to an object, and remembers that it is ours. */
export const makeMember = (draft: Draft, object: Node, parent: string, key: string, value: Json): Draft => {
  const ready = rememberGap(draft, object, parent)
  const style = styleOf(ready.document)
  const patches = appendItem(ready.document, object, style, (layout) => writeMember(key, value, style, layout))
  const added = { to: object, item: `${JSON.stringify(key)}:${outlineOf(value)}` }
  return remember(step(ready, patches, { added }), { pointer: `${parent}/${key}`, made: true, gap: '' })
}

/** Of a container that is empty now, what stands between its brackets is kept. */
export const rememberGap = (draft: Draft, container: Node, pointer: string): Draft =>
  (container.children ?? []).length === 0
    ? remember(draft, { pointer, made: false, gap: gapOf(draft.document, container) })
    : draft

/** The value of a member that must be of one type; null when there is no such member. */
export const member = (draft: Draft, object: Node, key: string, type: 'object' | 'array'): Node | null => {
  const found = valueOf(onlyMember(draft, object, key))
  if (found === undefined) return null
  if (found.type === type) return found
  const [wanted, empty] = type === 'object' ? ['an object', '{}'] : ['an array', '[]']
  throw wrongShape(
    draft.document,
    found.offset,
    `the host reads ${wanted} in "${key}", not ${nameOf(found)}`,
    `make "${key}" ${empty}, or take it out`,
  )
}

const onlyMember = (draft: Draft, object: Node, key: string): Node | undefined => {
  const [first, second] = membersNamed(object, key)
  if (second !== undefined) {
    throw wrongShape(
      draft.document,
      second.offset,
      `"${key}" is there twice, and the host reads only one of them`,
      `merge the two "${key}" members`,
    )
  }
  return first
}

const nameOf = (node: Node): string =>
  node.type === 'null' ? 'null' : `${/^[ao]/.test(node.type) ? 'an' : 'a'} ${node.type}`
