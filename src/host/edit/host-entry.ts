import type { HostEntry, HostHook, HostServer } from '../../state/host-edit.ts'
import { sameJson } from '../../state/json-text.ts'

export const isHook = (entry: HostEntry): entry is HostHook => entry.kind === undefined
export const isServer = (entry: HostEntry): entry is HostServer => entry.kind === 'server'

/** The same to the host. */
export const sameEntry = (a: HostEntry, b: HostEntry): boolean => {
  if (a.kind === undefined || b.kind === undefined)
    return a.kind === undefined && b.kind === undefined && sameHook(a, b)
  if (a.kind === 'server') return b.kind === 'server' && a.name === b.name && sameJson(a.value, b.value)
  return b.kind === 'file' && a.sha512 === b.sha512
}

type HookContent = Pick<HostHook, 'event' | 'matcher' | 'command' | 'timeout'>

export const sameHook = (a: HookContent, b: HookContent): boolean =>
  a.event === b.event && a.matcher === b.matcher && a.command === b.command && a.timeout === b.timeout

/** A text that shows an entry in a file that cannot be parsed any more; null where there is none. */
export const identifyingText = (entry: HostEntry): string | null => {
  if (entry.kind === undefined) return entry.script
  return entry.kind === 'server' ? (entry.folder ?? entry.name) : null
}

/** The path of an installed bundle that an entry holds; null where it holds none. */
export const bundlePathIn = (entry: HostEntry): string | null => {
  if (entry.kind === undefined) return entry.script
  return entry.kind === 'server' ? entry.folder : null
}
