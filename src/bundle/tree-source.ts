import type { Entry } from './bundle.ts'

/** A file (or what stands in place of one) of a tree that is kept somewhere else than in files. */
export interface TreeEntry {
  /** As the tree spells it; bytes that are no UTF-8 are replaced. */
  readonly path: string
  /** False where the path's bytes are no UTF-8. */
  readonly unicode: boolean
  readonly type: Entry['type']
  /** The owner-executable bit. */
  readonly executable: boolean
}

/** Takes the contents of entries one after the other. */
export interface TreeSink {
  begin(index: number): void
  /** Not to be kept. */
  data(chunk: Uint8Array): void
  end(): void
}

/** A tree whose names are known and whose contents have to be asked for, such as a commit of a repository. */
export interface TreeSource {
  /** As it stands in messages. */
  readonly named: string
  /** Every entry but folders, in the order of the tree. */
  readonly entries: readonly TreeEntry[]
  /** Brings contents here, where they are not, and says how many bytes each has. `wanted`: regular files. */
  measure(wanted: readonly TreeEntry[]): Promise<readonly number[]>
  /** Sends contents that were measured, in the order of `wanted`; `begin` gets the place in it. */
  read(wanted: readonly TreeEntry[], sink: TreeSink): Promise<void>
}
