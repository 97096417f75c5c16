import type { AuditedFile } from './archive/audit.ts'
import type { BundleFile } from './bundle.ts'

/** Takes the files of a bundle one after the other. May throw to stop. */
export interface FileSink {
  /** `known`: the same file where its content was hashed before. */
  begin(file: AuditedFile, known?: BundleFile): void
  /** A piece of the content; not to be kept, the buffer may be used again. */
  data(chunk: Uint8Array): void
  end(): void
}

/** A source whose every entry was judged and accepted, with a way to its content. */
export interface Listing {
  readonly files: readonly AuditedFile[]
  /** Folders that hold something or were listed themselves. */
  readonly folders: readonly string[]
  /** Left-out names that were met. */
  readonly excluded: readonly string[]
  /** Sends the files that `wants` to the sink, in the order of the source. Throws when the source is not what it was. */
  sendFiles(wants: (path: string) => boolean, sink: FileSink): Promise<void>
}
