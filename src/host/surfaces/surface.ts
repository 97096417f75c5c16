import type { Diagnostic } from '../../diagnostic.ts'
import type { ContainerRecord, SurfaceKind, TextPatch } from '../host-edit.ts'
import type { Wanted } from '../splice/claim.ts'

/** What is asked of one host file. */
export interface SpliceRequest extends Wanted {
  /** Named in messages. */
  readonly file: string
  /** Capability whose hooks come or go. */
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

/** One form of host file: how hooks are put into its text and taken out. Pure; an absent file is the empty text. */
export interface Surface {
  readonly kind: SurfaceKind
  /** A file with this name belongs to one capability alone: one that is there already is the user's, and refused. */
  readonly ownFile: boolean
  /** Mode of a file that is made, less the umask. */
  readonly mode: number
  splice(text: string, request: SpliceRequest): SpliceResult
}
