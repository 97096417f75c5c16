import type { BundleFile } from '../../bundle/bundle.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import type { PolicyView } from './policy-view.ts'

/** One capability in full: what it runs and brings, what the ledger has of it, and its files. */
export interface Details extends Disclosure {
  readonly entry: LedgerEntry | null
  /** What policy says of the source an installed capability came from; null where there is none, or a catalog knows it. */
  readonly policy: PolicyView | null
  readonly fileList: readonly { readonly path: string; readonly size: number; readonly executable: boolean }[]
}

/** Files as a list for reading. */
export const listOf = (files: readonly BundleFile[]): Details['fileList'] =>
  files.map(({ path, size, executable }) => ({ path, size, executable }))
