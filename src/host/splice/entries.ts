import type { Node } from 'jsonc-parser'
import { membersNamed, valueOf } from './draft.ts'
import type { JsonSurface } from './json-surface.ts'

/** A command that a settings file holds, ours or not, with the way to it through the tree. */
export interface Entry {
  readonly event: string
  readonly matcher: string | undefined
  readonly command: string
  readonly timeout: number | undefined
  /** It says more than we write: the user or the host added something. */
  readonly more: boolean
  /** Child indices from the root to the handler. */
  readonly path: readonly number[]
  readonly offset: number
}

/** Every handler with a command below `hooks`, grouped or bare, in whichever event, in the order of the text. */
export const entriesOf = (root: Node | null, surface: JsonSurface): Entry[] =>
  (root?.type === 'object' ? (root.children ?? []) : [])
    .flatMap((member, index) =>
      member.children?.[0]?.value === 'hooks' ? [{ node: valueOf(member), path: [index, 1] }] : [],
    )
    .flatMap(({ node, path }) => events(node, path))
    .flatMap(({ event, list, path }) =>
      children(list).flatMap((item, index) => itemEntries(item, event, [...path, index], surface)),
    )

/** The node that a path of child indices leads to. */
export const nodeAt = (root: Node | null, path: readonly number[]): Node | undefined =>
  path.reduce<Node | undefined>((node, index) => node?.children?.[index], root ?? undefined)

const events = (hooks: Node | undefined, path: readonly number[]): { event: string; list: Node; path: number[] }[] =>
  (hooks?.type === 'object' ? (hooks.children ?? []) : []).flatMap((member, index) => {
    const list = valueOf(member)
    return list?.type === 'array'
      ? [{ event: String(member.children?.[0]?.value), list, path: [...path, index, 1] }]
      : []
  })

const itemEntries = (item: Node, event: string, path: readonly number[], surface: JsonSurface): Entry[] => {
  const bare = handlerEntry(item, null, event, path, surface)
  if (bare !== null) return [bare]
  const member = (item.type === 'object' ? (item.children ?? []) : []).findIndex(
    (each) => each.children?.[0]?.value === 'hooks',
  )
  const list = valueOf(item.children?.[member])
  return list?.type === 'array'
    ? children(list).flatMap((handler, index) => {
        const entry = handlerEntry(handler, item, event, [...path, member, 1, index], surface)
        return entry === null ? [] : [entry]
      })
    : []
}

const handlerEntry = (
  handler: Node,
  group: Node | null,
  event: string,
  path: readonly number[],
  surface: JsonSurface,
): Entry | null => {
  const command = valueOf(membersNamed(handler, surface.commandKey)[0])
  if (command?.type !== 'string') return null
  const matcher = valueOf(membersNamed(surface.grouped ? group : handler, 'matcher')[0])
  const timeout = surface.timeoutKey === null ? undefined : valueOf(membersNamed(handler, surface.timeoutKey)[0])
  return {
    event,
    matcher: typeof matcher?.value === 'string' ? matcher.value : undefined,
    command: String(command.value),
    timeout: typeof timeout?.value === 'number' ? timeout.value : undefined,
    more: surface.grouped !== (group !== null) || hasMore(handler, handlerKeys(surface)) || hasMore(group, GROUP_KEYS),
    path,
    offset: handler.offset,
  }
}

const GROUP_KEYS = ['matcher', 'hooks']

const handlerKeys = (surface: JsonSurface): string[] => [
  'type',
  surface.commandKey,
  ...(surface.grouped ? [] : ['matcher']),
  ...(surface.timeoutKey === null ? [] : [surface.timeoutKey]),
]

/** The object has a member whose name is not one of ours. */
export const hasMore = (object: Node | null, keys: readonly string[]): boolean =>
  (object?.children ?? []).some((member) => !keys.includes(String(member.children?.[0]?.value)))

const children = (node: Node): Node[] => node.children ?? []
