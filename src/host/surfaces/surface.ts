import type { Diagnostic } from '../../diagnostic.ts'
import type { ContainerRecord, HostEntry, HostHook, HostServer, TextPatch } from '../../state/host-edit.ts'
import type { DesiredChange } from '../splice/match-entries.ts'

/** What is to change in one host file. */
export interface SpliceRequest<E = HostHook> extends DesiredChange<E> {
  /** Named in messages. */
  readonly file: string
  /** Capability whose entries are added or removed. */
  readonly id: string
  readonly containers: readonly ContainerRecord[]
  /** The file holds entries of this or another capability afterwards. */
  readonly inUse: boolean
  /** Planning: any doubt refuses. Off while an interrupted operation is finished or undone. */
  readonly strict: boolean
  /** A server that the file holds exactly as it is to be is ours, although it is not on record. */
  readonly adopt?: boolean
}

/** The new text, and the patches that lead to it. */
export interface SpliceResult {
  readonly text: string
  /** In the order in which they apply. */
  readonly patches: readonly TextPatch[]
  readonly containers: readonly ContainerRecord[]
  readonly warnings: readonly Diagnostic[]
}

/** Whose entries are searched for in a text. */
export interface BundleEntryRequest {
  readonly file: string
  readonly id: string
  /** Servers of the capability that name no path. */
  readonly servers: readonly HostServer[]
}

/** One form of host file: how entries are added to its text and removed. Pure; an absent file is the empty text. */
export interface Surface {
  /** The file belongs to one capability alone: one that exists already is the user's, and is refused. */
  readonly ownFile: boolean
  /** Mode of a new file, less the umask. */
  readonly mode: number
  splice(text: string, request: SpliceRequest<HostEntry>): SpliceResult
  /** Which of these entries a text holds, recorded or not. Only where an entry can be moved between files. */
  findEntries?(text: string, file: string, entries: readonly HostEntry[]): readonly HostEntry[]
  /** Entries of a capability that lead into its bundle in any root, or are equal to a known server, recorded or not. */
  findBundleEntries?(text: string, request: BundleEntryRequest): readonly (HostHook | HostServer)[]
}

/** The same request with the entries of one kind only, the one kind that such a surface holds. */
export const onlyEntries = <E extends HostEntry>(
  request: SpliceRequest<HostEntry>,
  isOne: (entry: HostEntry) => entry is E,
): SpliceRequest<E> => ({
  ...request,
  add: request.add.filter(isOne),
  remove: request.remove.filter(isOne),
  recorded: request.recorded.filter(isOne),
})
