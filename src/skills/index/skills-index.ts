import type { Diagnostic } from '../../diagnostic.ts'
import type { Disk } from '../../platform/disk.ts'
import type { SkillsLock } from '../bodies/lock-file.ts'
import type { Searcher } from '../search/search-index.ts'
import type { SkillEntry } from './entry.ts'

/** An opened skills index: its entries, and nothing of any body. Frozen. */
export interface SkillsIndex {
  /** Real path of the skills root. */
  readonly root: string
  /** In the order of the file; ids are unique. */
  readonly entries: readonly SkillEntry[]
  /** Entry of exactly this id. */
  get(id: string): SkillEntry | undefined
  /** Why the entry of an id was left out of {@link entries}. */
  refusal(id: string): Diagnostic | undefined
  readonly warnings: readonly Diagnostic[]
  /** `sha512-…` over the bytes of the index file. */
  readonly integrity: string
  /** What every read is checked against; null where there is no lock. */
  readonly lock: SkillsLock | null
  /** What search works on; made at the first call. */
  readonly searcher: () => Searcher
  /** Folder a skill's path is relative to: the root, unless the skill belongs to an installed capability. */
  readonly rootOf: (entry: SkillEntry) => string
  readonly disk: Disk
}
