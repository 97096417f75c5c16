import type { AuditedFile } from './archive/audit.ts'
import type { BundleFile } from './bundle.ts'

/** Receives the files of a bundle one after the other. May throw to stop. */
export interface FileSink {
  /** `known`: the same file, if its content was hashed before. */
  begin(file: AuditedFile, known?: BundleFile): void
  /** A piece of the content; must not be kept, because the buffer is used again. */
  data(chunk: Uint8Array): void
  end(): void
  /**
   * Moves a finished file of its own here in place of `begin`, `data` and `end`, if the sink can. False: it wants the
   * content.
   */
  move?(file: BundleFile, from: string): boolean
}

/** A source whose entries all passed the audit, with access to its content. */
export interface Listing {
  readonly files: readonly AuditedFile[]
  /** Folders with content or an entry of their own. */
  readonly folders: readonly string[]
  /** Excluded names that occurred. */
  readonly excluded: readonly string[]
  /** More about what was left out, as sentences. */
  readonly notes?: readonly string[]
  /** Sends the files that `wants` to the sink, in the order of the source. Throws if the source has changed. */
  sendFiles(wants: (path: string) => boolean, sink: FileSink): Promise<void>
}
