import type { Json } from '../../store/journal-entry.ts'
import type { OtherProject } from './other-projects.ts'

/** What came with the folder of a scope that was moved or copied, and what is to be on record of it. */
export interface Heritage {
  /** The folder as it was called. */
  readonly from: string
  /** That folder is there as well: this one is a copy. */
  readonly isCopy: boolean
  /** By the file of a host: its record here; null where it has none any more. */
  readonly records: ReadonlyMap<string, Json>
  /** What the old place has on record, and is to forget; null where nothing is. */
  readonly spent: { readonly places: OtherProject['places']; readonly files: readonly string[] } | null
}
