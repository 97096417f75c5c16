import type { HostHook } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'

/** How a host writes a hook in its JSON file. All differences between the JSON surfaces are here. */
export interface JsonHookFormat {
  /** Handlers stand in a group `{matcher?, hooks: [handler]}`; otherwise the handler is the item itself. */
  readonly grouped: boolean
  /** The handler says `"type": "command"`. */
  readonly typed: boolean
  /** Name of the member that holds the command line. */
  readonly commandKey: 'command' | 'bash'
  /** Name of the member that holds the time limit; null: the host has none. */
  readonly timeoutKey: 'timeout' | 'timeoutSec' | null
  /** The root must say `"version": 1`. */
  readonly versioned: boolean
}

/** The item that goes into the event's array for one hook. */
export const renderHook = (surface: JsonHookFormat, { matcher, command, timeout }: HostHook): Json => {
  const handler: [string, Json][] = []
  const group: [string, Json][] = surface.grouped ? [] : handler
  if (surface.typed) handler.push(['type', 'command'])
  handler.push([surface.commandKey, command])
  if (matcher !== undefined) group.push(['matcher', matcher])
  if (surface.timeoutKey !== null && timeout !== undefined) handler.push([surface.timeoutKey, timeout])
  if (surface.grouped) group.push(['hooks', [Object.fromEntries(handler)]])
  return Object.fromEntries(group)
}
