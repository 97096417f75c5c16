/** A host's file as it was read, links followed. */
export interface HostText {
  /** Real path: what is written is this file, never a link to it. */
  readonly file: string
  /** Null: there is no file. A BOM is part of the text. */
  readonly text: string | null
  /** Hex sha512 of the bytes; null: there is no file. */
  readonly hash: string | null
  /** Permission bits of the file; null: there is no file. */
  readonly mode: number | null
  /** Folders that have to be made for it, outermost first. */
  readonly missingFolders: readonly string[]
}
