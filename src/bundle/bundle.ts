import type { Stats } from 'node:fs' /** An entry of an archive or folder, before any check. */
export interface SourceEntry {
  /** Path exactly as the source has it. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink' | 'link' | 'device' | 'fifo' | 'socket' | 'other'
  /** Bytes of content. */
  readonly size: number
  /** The owner-executable bit. */
  readonly executable: boolean
}

/** A file of a bundle, after audit: path relative to the bundle root, with `/`. */
export interface BundleFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
  /** Hex sha512 of the content. */
  readonly sha512: string
  /** The content starts with `#!`. */
  readonly shebang: boolean
  /** That line ends in CR LF, so the system would look for a program whose name ends in CR. */
  readonly crlf?: true
}

/** A bundle unpacked into a folder that nothing reads yet. */
export interface StagedBundle {
  /** Absolute path of the folder. */
  readonly dir: string
  /** Sorted by the bytes of their UTF-8 paths. */
  readonly files: readonly BundleFile[]
  /** Bytes of `capability.json`. */
  readonly manifest: Uint8Array
  /** Sentences about what was left out (`node_modules/`, …). */
  readonly notes: readonly string[]
  /** `sha512-…` over the bytes of its archive; null without one. */
  readonly integrity: string | null
}

/** Where a bundle's bytes are before they are unpacked. */
export type BundleSource =
  /** `displayName`: as the user knows it, if that is not the file. */
  | { readonly kind: 'archive'; readonly file: string; readonly displayName?: string }
  | { readonly kind: 'folder'; readonly dir: string }
  | { readonly kind: 'tree'; readonly tree: TreeSource }

/** A file, link or other entry of a tree that is stored elsewhere than in files. */
export interface TreeEntry {
  /** As the tree has it; bytes that are not UTF-8 are replaced. */
  readonly path: string
  /** False if the path's bytes are not UTF-8. */
  readonly isUtf8: boolean
  readonly type: SourceEntry['type']
  /** The owner-executable bit. */
  readonly executable: boolean
}

/** Receives the contents of entries one after the other. */
export interface TreeSink {
  begin(index: number): void
  /** Not to be kept. */
  data(chunk: Uint8Array): void
  end(): void
}

/** A tree whose names are known and whose contents must be requested, such as a commit of a repository. */
export interface TreeSource {
  /** For messages. */
  readonly displayName: string
  /** Every entry but folders, in the order of the tree. */
  readonly entries: readonly TreeEntry[]
  /** Fetches missing contents and returns their sizes in bytes. `wanted`: regular files. */
  fetchSizes(wanted: readonly TreeEntry[]): Promise<readonly number[]>
  /** Sends contents after `fetchSizes`, in the order of `wanted`; `begin` gets the index in it. */
  sendContents(wanted: readonly TreeEntry[], sink: TreeSink): Promise<void>
}

/** What an entry on disk is, by lstat. */
export const entryTypeOf = (stats: Stats): SourceEntry['type'] => {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'symlink'
  if (stats.isFIFO()) return 'fifo'
  if (stats.isSocket()) return 'socket'
  return stats.isBlockDevice() || stats.isCharacterDevice() ? 'device' : 'other'
}

/** The owner-executable bit of a file. */
export const isExecutable = (stats: Stats): boolean => stats.isFile() && (stats.mode & 0o100) !== 0

/** What no bundle holds, with the words that end the sentence "`<path>` …". */
export const TYPE_DESCRIPTIONS = {
  symlink: 'is a symbolic link',
  link: 'is a hard link',
  device: 'is a device',
  fifo: 'is a FIFO',
  socket: 'is a socket',
  other: 'is neither a file nor a folder',
} as const satisfies Record<Exclude<SourceEntry['type'], 'file' | 'directory'>, string>
