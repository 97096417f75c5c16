import type { Hook } from '../../manifest/manifest.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'

/** Events of Claude Code whose matcher is about names of tools. */
const TOOL_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest']

/** A matcher with the host's names for the tools of Claude Code; names that the table does not have stay. */
export const translateMatcher = ({ event, matcher }: Hook, { toolNames }: HostRuntime): string | undefined => {
  if (matcher === undefined || toolNames === undefined || !TOOL_EVENTS.includes(event)) return matcher
  const nameOf = (name: string): string => (Object.hasOwn(toolNames, name) ? (toolNames[name] ?? name) : name)
  const names = listTools(matcher)
  if (names !== null) return [...new Set(names.map(nameOf))].join('|')
  // Not after a backslash, where a letter is part of an expression.
  return matcher.replaceAll(/(?<![\\\w-])[A-Za-z][\w-]*/g, nameOf)
}

/**
 * The events among those of a host that stand for the tools of a matcher, where the host has an event for each kind of tool
 * instead of matchers; null where the matcher names another tool.
 */
export const eventsForTools = (
  { event, matcher }: Hook,
  { eventsByTool }: HostRuntime,
  events: readonly string[],
): readonly string[] | null => {
  if (matcher === undefined || eventsByTool === undefined || !TOOL_EVENTS.includes(event)) return null
  const names = listTools(matcher)
  const kinds = names?.map((name) => (Object.hasOwn(eventsByTool, name) ? eventsByTool[name] : undefined))
  if (kinds === undefined || kinds.includes(undefined)) return null
  return events.filter((each) => kinds.some((kind) => kind !== undefined && each.endsWith(kind)))
}

/** The names of a matcher that is nothing but names. */
const listTools = (matcher: string): readonly string[] | null => {
  const [, inner] = /^\^?\(?([\w-]+(?:\|[\w-]+)*)\)?\$?$/.exec(matcher) ?? []
  return inner?.split('|') ?? null
}
