import type { HostEntry } from '../../host/host-edit.ts'

/** The path of ours by which an entry leads into a bundle; null where it does not. */
export const leadsTo = (entry: HostEntry): string | null => {
  if (entry.kind === undefined) return entry.script
  return entry.kind === 'server' ? entry.folder : null
}
