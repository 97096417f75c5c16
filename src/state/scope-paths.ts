import type { ScopeName } from '../diagnostic.ts'

/**
 * Where one scope keeps its things. All absolute. What is replayed or deleted by (`hosts`, `journal`, `lock`) never
 * lies in a repository: for the global scope it is beside the rest, for a project it is in the user's own `.gsd`.
 */
export interface ScopePaths {
  readonly scope: ScopeName
  /** The folder that holds `.gsd`, as given. */
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
  /** False where the folder may come from a repository: its overlays need consent before they act. */
  readonly trusted: boolean
}

/** What belongs to the user, whatever the scope. */
export interface UserPaths {
  /** The user's `.gsd`; never inside a repository the user works in. */
  readonly gsd: string
  readonly consent: string
  readonly config: string
  readonly policy: string
  readonly lock: string
}
