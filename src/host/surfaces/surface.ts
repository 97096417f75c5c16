import type { Diagnostic } from '../../diagnostic.ts'
import type { ContainerRecord, HostEntry, HostHook, SurfaceKind, TextPatch } from '../../state/host-edit.ts'
import type { DesiredChange } from '../splice/match-hooks.ts'

/** What is asked of one host file. */
export interface SpliceRequest<E = HostHook> extends DesiredChange<E> {
  /** Named in messages. */
  readonly file: string
  /** Capability whose entries come or go. */
  readonly id: string
  readonly containers: readonly ContainerRecord[]
  /** Entries of ours, of this or another capability, are in the file afterwards. */
  readonly inUse: boolean
  /** Planning: whatever is doubtful refuses. Off while an interrupted operation is finished or undone. */
  readonly strict: boolean
}

/** The text as it is to be, and how it came there. */
export interface SpliceResult {
  readonly text: string
  /** In the order in which they apply. */
  readonly patches: readonly TextPatch[]
  readonly containers: readonly ContainerRecord[]
  readonly warnings: readonly Diagnostic[]
}

/** One form of host file: how entries are put into its text and taken out. Pure; an absent file is the empty text. */
export interface Surface {
  readonly kind: SurfaceKind
  /** A file with this name belongs to one capability alone: one that is there already is the user's, and refused. */
  readonly ownFile: boolean
  /** Mode of a file that is made, less the umask. */
  readonly mode: number
  splice(text: string, request: SpliceRequest<HostEntry>): SpliceResult
  /** Which of these entries a text holds, by the signs that need no record. Only where an entry can be moved between files. */
  findEntries?(text: string, file: string, entries: readonly HostEntry[]): readonly HostEntry[]
}

/** A request in which only the entries of one kind are left: the only ones that such a surface ever has. */
export const onlyEntries = <E extends HostEntry>(
  request: SpliceRequest<HostEntry>,
  isOne: (entry: HostEntry) => entry is E,
): SpliceRequest<E> => ({
  ...request,
  add: request.add.filter(isOne),
  remove: request.remove.filter(isOne),
  recorded: request.recorded.filter(isOne),
})
