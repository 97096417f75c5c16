import { sameJson } from '../store/json-text.ts'
import type { HostEntry, HostHook, HostServer } from './host-edit.ts'

export const isHook = (entry: HostEntry): entry is HostHook => entry.kind === undefined
export const isServer = (entry: HostEntry): entry is HostServer => entry.kind === 'server'

/** The same to the host. */
export const sameEntry = (a: HostEntry, b: HostEntry): boolean => {
  if (a.kind === undefined || b.kind === undefined)
    return a.kind === undefined && b.kind === undefined && sameHook(a, b)
  if (a.kind === 'server') return b.kind === 'server' && a.name === b.name && sameJson(a.value, b.value)
  return b.kind === 'file' && a.sha512 === b.sha512
}

export const sameHook = (a: HostHook, b: HostHook): boolean =>
  a.event === b.event && a.matcher === b.matcher && a.command === b.command && a.timeout === b.timeout

/** A text by which an entry shows in a file that cannot be understood any more; null where there is none. */
export const markOf = (entry: HostEntry): string | null => {
  if (entry.kind === undefined) return entry.script
  return entry.kind === 'server' ? (entry.folder ?? entry.name) : null
}
