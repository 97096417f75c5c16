import type { Diagnostic } from './diagnostic.ts'
import type { Disk } from './platform/disk.ts'
import type { ProcessIdentity } from './platform/identity.ts'
import type { ScopePaths, UserPaths } from './state/scope-paths.ts'

/** Which GSD version manifests are judged against, and who said so. */
export interface HostVersion {
  /** Strict SemVer. */
  readonly version: string
  /** `--host-version`, `GSD_VERSION`, the path of a VERSION file, or `built-in`. */
  readonly from: string
}

/** Something worth saying while work goes on; never part of the answer. */
export type Report =
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'warning'; readonly diagnostic: Diagnostic }
  | { readonly kind: 'progress'; readonly text: string; readonly done?: number; readonly total?: number }

/** Names a value that one command computes once; keys are compared by identity. */
export interface MemoKey<T> {
  readonly name: string
  /** Only carries the type. */
  readonly type?: T
}

/** Returns the value of a key, made on first use. */
export type Memo = <T>(key: MemoKey<T>, make: () => T) => T

export const createMemo = (): Memo => {
  const values = new Map<object, unknown>()
  return <T>(key: MemoKey<T>, make: () => T): T => {
    if (!values.has(key)) values.set(key, make())
    return values.get(key) as T
  }
}

/** What a command knows about its environment. Made once, in `makeContext`; read only. */
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
  /** Folder of another first-party set than the built-in one (`--first-party`); null: the built-in one. */
  readonly firstParty: string | null
  readonly disk: Disk
  readonly identity: ProcessIdentity
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
  readonly report: (report: Report) => void
  /** What this command has read and need not read again. */
  readonly memo: Memo
}
