import type { Source } from '../bundle/bundle.ts'
import type { Spec, SpecKind } from '../spec/spec.ts'
import type { Disk } from '../store/disk.ts'
import type { Resolved } from '../store/ledger-entry.ts'

/** What a fetch may use of the world. */
export interface FetchContext {
  readonly disk: Disk
  /** The user's home. */
  readonly home: string
  /** Real paths of the `.gsd` folders that are about to change; they need not exist yet. */
  readonly roots: readonly string[]
  readonly signal: AbortSignal
}

/** Where the bytes of a source are now, and what the source says of them. */
export interface Fetched {
  readonly source: Source
  /** Subfolder of the source that holds the bundle, with `/`; null where the spec names none. */
  readonly path: string | null
  /** For the ledger: no absolute path in it. */
  readonly resolved: Resolved
  /** Integrities that the source itself states, each with who states it; all of them must agree. */
  readonly known: readonly { readonly value: string; readonly from: string }[]
  /** Worth saying to the user, as sentences. */
  readonly notes: readonly string[]
}

/** Brings one kind of source here. */
export type Fetcher<K extends SpecKind = SpecKind> = (
  spec: Extract<Spec, { readonly kind: K }>,
  context: FetchContext,
) => Promise<Fetched>
