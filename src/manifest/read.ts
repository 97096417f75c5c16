import type { Diagnostic } from '../diagnostic.ts'

/** 1-based; columns count UTF-16 code units, and CR, LF and CRLF each end a line. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A manifest file as it was read: what it says, and where each part of it stands. */
export interface ManifestText {
  /** As it is shown in messages. */
  readonly file: string
  /** Without the byte order mark. */
  readonly text: string
  /** The parsed value; undefined when the text could not be parsed. */
  readonly value: unknown
  /** What reading alone found. `checkManifest` repeats these first. */
  readonly diagnostics: readonly Diagnostic[]
  /** Where the member at a JSON pointer stands: its key or its value. The start of the text when there is no such member. */
  readonly locate: (pointer: string, part: 'key' | 'value') => Position
}

/** Bytes of a `capability.json` → text → value, with everything that is wrong on the way. Never throws. */
export const readManifest = (bytes: Uint8Array, options: { readonly file: string }): ManifestText => ({
  file: options.file,
  text: new TextDecoder().decode(bytes),
  value: undefined,
  diagnostics: [],
  locate: () => ({ line: 1, column: 1 }),
})
