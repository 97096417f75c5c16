import type { ScopeName } from '../diagnostic.ts'

/**
 * The paths of one scope, all absolute. Files that decide what is replayed or deleted (`hosts`, `journal`, `lock`) are never
 * in a repository: for a project they are in the user's own `.gsd`.
 */
export interface ScopePaths {
  readonly scope: ScopeName
  /** The folder that contains `.gsd`, as given. */
  readonly root: string
  /** `root` with every link resolved; consent is bound to it. */
  readonly realRoot: string
  readonly gsd: string
  readonly capabilities: string
  readonly ledger: string
  readonly receipts: string
  readonly state: string
  readonly gitignore: string
  readonly staging: string
  readonly trash: string
  /** Folder of the three below. */
  readonly private: string
  readonly hosts: string
  readonly journal: string
  readonly lock: string
  /** False where the folder may come from a repository: its overlays need consent. */
  readonly trusted: boolean
}

/** The paths of the user, for every scope. */
export interface UserPaths {
  /** The user's `.gsd`; never inside a repository the user works in. */
  readonly gsd: string
  readonly grants: string
  /** Where earlier versions kept the grants. GSD Core keeps a file of another shape there, so it is never written. */
  readonly formerGrants: string
  /** Exists once the grants of the former file were copied. */
  readonly grantsAdopted: string
  readonly config: string
  readonly policy: string
  /** Hashes of the catalogs in the cache. */
  readonly catalogs: string
  readonly lock: string
}
