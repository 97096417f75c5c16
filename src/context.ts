import type { Diagnostic } from './diagnostic.ts'
import type { Disk } from './platform/disk.ts'
import type { ProcessIdentity } from './platform/identity.ts'
import type { ProcessMemory } from './process-memory.ts'
import type { ScopePaths, UserPaths } from './state/scope-paths.ts'

/** The GSD version that `engines` is checked against, and its source. */
export interface HostVersion {
  /** Strict SemVer. */
  readonly version: string
  /** `--host-version`, `GSD_VERSION`, the path of a VERSION file, or `built-in`. */
  readonly from: string
}

/** A message during an operation; never part of the answer. */
export type Report =
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'warning'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'progress'; readonly text: string; readonly done?: number; readonly total?: number }

/** The environment of a command. Created once, in `makeContext`; read only. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The user's home. */
  readonly home: string
  readonly user: UserPaths
  readonly global: ScopePaths
  /** Null where no project was found. */
  readonly project: ScopePaths | null
  readonly cache: string
  readonly hostVersion: HostVersion
  readonly offline: boolean
  /** Milliseconds that one download may take in all (`--timeout`). */
  readonly fetchTimeout: number
  /** Folder of another first-party set than the built-in one (`--first-party`); null: the built-in one. */
  readonly firstParty: string | null
  readonly disk: Disk
  /** What this process computed already and uses again. */
  readonly memory: ProcessMemory
  readonly identity: ProcessIdentity
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly report: (report: Report) => void
}
