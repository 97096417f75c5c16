import type { HostEntry, HostFileRecord, SurfaceKind } from '../../state/host-edit.ts'
import type { HostFileContent } from './open-host-file.ts'

/** One change of one host file, before it is planned. */
export interface HostEditRequest {
  readonly host: HostFileContent
  readonly surface: SurfaceKind
  readonly runtime: string
  /** Capability whose entries come or go. */
  readonly id: string
  /** Entries to be there afterwards; those that are there already are left as they are. */
  readonly add: readonly HostEntry[]
  /** Entries to be gone afterwards; one that is also in `add` stays. */
  readonly remove: readonly HostEntry[]
  /** What `hosts.json` has for this file. */
  readonly record: HostFileRecord | null
}
