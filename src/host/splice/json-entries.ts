import type { Node } from 'jsonc-parser'
import type { HostHook } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import { findMembers, memberValue } from './json-draft.ts'
import type { FoundHook } from './match-hooks.ts'

/** A hook that a settings file holds, with its place in the tree. */
export interface JsonEntry extends FoundHook {
  /** Child indices from the root to the handler. */
  readonly path: readonly number[]
}

/** Every handler with a command below `hooks`, grouped or not, in any event, in the order of the text. */
export const findEntries = (root: Node | null, surface: JsonHookFormat): JsonEntry[] =>
  (root?.type === 'object' ? (root.children ?? []) : [])
    .flatMap((member, index) =>
      member.children?.[0]?.value === 'hooks' ? [{ node: memberValue(member), path: [index, 1] }] : [],
    )
    .flatMap(({ node, path }) => findEventLists(node, path))
    .flatMap(({ event, list, path }) =>
      childrenOf(list).flatMap((item, index) => parseItem(item, event, [...path, index], surface)),
    )

/** The node at a path of child indices. */
export const findNode = (root: Node | null, path: readonly number[]): Node | undefined =>
  path.reduce<Node | undefined>((node, index) => node?.children?.[index], root ?? undefined)

const findEventLists = (
  hooks: Node | undefined,
  path: readonly number[],
): { event: string; list: Node; path: number[] }[] =>
  (hooks?.type === 'object' ? (hooks.children ?? []) : []).flatMap((member, index) => {
    const list = memberValue(member)
    return list?.type === 'array'
      ? [{ event: String(member.children?.[0]?.value), list, path: [...path, index, 1] }]
      : []
  })

const parseItem = (item: Node, event: string, path: readonly number[], surface: JsonHookFormat): JsonEntry[] => {
  const bare = parseHandler(item, null, event, path, surface)
  if (bare !== null) return [bare]
  const member = (item.type === 'object' ? (item.children ?? []) : []).findIndex(
    (each) => each.children?.[0]?.value === 'hooks',
  )
  const list = memberValue(item.children?.[member])
  return list?.type === 'array'
    ? childrenOf(list).flatMap((handler, index) => {
        const entry = parseHandler(handler, item, event, [...path, member, 1, index], surface)
        return entry === null ? [] : [entry]
      })
    : []
}

const parseHandler = (
  handler: Node,
  group: Node | null,
  event: string,
  path: readonly number[],
  surface: JsonHookFormat,
): JsonEntry | null => {
  const command = memberValue(findMembers(handler, 'command')[0])
  if (command?.type !== 'string') return null
  const matcher = memberValue(findMembers(surface.grouped ? group : handler, 'matcher')[0])
  const timeout = surface.timeoutKey === null ? undefined : memberValue(findMembers(handler, surface.timeoutKey)[0])
  return {
    event,
    matcher: typeof matcher?.value === 'string' ? matcher.value : undefined,
    command: String(command.value),
    timeout: typeof timeout?.value === 'number' ? timeout.value : undefined,
    hasExtraMembers:
      surface.grouped !== (group !== null) ||
      hasExtraMembers(handler, handlerKeys(surface)) ||
      hasExtraMembers(group, GROUP_KEYS),
    path,
    offset: handler.offset,
  }
}

const GROUP_KEYS = ['matcher', 'hooks']

const handlerKeys = (surface: JsonHookFormat): string[] => [
  'type',
  'command',
  ...(surface.grouped ? [] : ['matcher']),
  ...(surface.timeoutKey === null ? [] : [surface.timeoutKey]),
]

/** The object has a member whose name is not one of ours. */
export const hasExtraMembers = (object: Node | null, keys: readonly string[]): boolean =>
  (object?.children ?? []).some((member) => !keys.includes(String(member.children?.[0]?.value)))

const childrenOf = (node: Node): Node[] => node.children ?? []

/** How a host writes a hook in its JSON file. All differences between the JSON surfaces are here. */
export interface JsonHookFormat {
  /** Handlers are in a group `{matcher?, hooks: [handler]}`; otherwise the handler is the item itself. */
  readonly grouped: boolean
  /** The handler has `"type": "command"`. */
  readonly typed: boolean
  /** Name of the member that holds the time limit; null: the host has none. */
  readonly timeoutKey: 'timeout' | 'timeoutSec' | null
  /** The root must have `"version": 1`. */
  readonly versioned: boolean
}

/** The item of the event's array for one hook. */
export const renderHook = (surface: JsonHookFormat, { matcher, command, timeout }: HostHook): Json => {
  const handler: [string, Json][] = []
  const group: [string, Json][] = surface.grouped ? [] : handler
  if (surface.typed) handler.push(['type', 'command'])
  handler.push(['command', command])
  if (matcher !== undefined) group.push(['matcher', matcher])
  if (surface.timeoutKey !== null && timeout !== undefined) handler.push([surface.timeoutKey, timeout])
  if (surface.grouped) group.push(['hooks', [Object.fromEntries(handler)]])
  return Object.fromEntries(group)
}
