import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, unlinkSync } from 'node:fs'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

/*
 * The format of a snapshot
 *
 * A snapshot stores a loaded registry, so that the next process need not read every bundle again. It is one file:
 *
 *   gsd-snapshot 2\n                          what the file is, and the version of this format
 *   {"key":…,"size":…,"hot":…,"sections":…}\n  the header, one line of JSON; see `Header`
 *   <section><section>…                       the contents, one after the other, without separators
 *
 * `key` is everything the load depends on besides the disk: version and build of the program, paths, host version. A file
 * with another key is ignored. `size` is the number of bytes after the header; a file of another size was cut off.
 * `sections` maps the name of a section to its first byte after the header and its length.
 *
 * The hot sections come first and are read at once, usually with the header in one call. They decide whether the snapshot
 * is valid:
 *
 *   bases            JSON list of folders
 *   paths            tracked paths, separated by NUL: the digit of a base and the rest, or `-` and the whole path
 *   stamps           four little-endian doubles for each path: inode, size, mtime, ctime; see `TrackedStats`
 *   recentlyChanged  JSON pairs: index of a path that was too new for its stamp to prove anything, hash of its content
 *   links            JSON pairs: link, its target
 *   bundles          JSON list of `KnownBundle`: digests of bundles that need consent
 *   warnings         JSON list of diagnostics
 *
 * The cold sections are read when a caller asks for that part of the registry:
 *
 *   rows             JSON list of `Row`, for `capability list`
 *   point:<name>     JSON list of what is attached to one loop point
 *   config           JSON pairs: configuration key, its entry
 *   activation       JSON pairs: capability, its activation key
 *   accepted         JSON pairs: capability, its index in `candidates`
 *   disabled         JSON pairs: capability, reason
 *   absent           JSON pairs: capability, reason
 *   firstPartyCount  JSON number: so many of the candidates are first-party
 *   candidates       one `Candidate` as JSON a line
 *
 * The built-in snapshot, `dist/first-party.snapshot`, has the same format without the sections about files.
 */

/** An open snapshot. It stays open while the object is in use, so a newer snapshot may replace the file meanwhile. */
export class SnapshotFile {
  readonly #path: string
  readonly #fd: number
  readonly #header: Header
  readonly #start: number
  readonly #hot: Buffer

  private constructor(path: string, fd: number, header: Header, start: number, hot: Buffer) {
    this.#path = path
    this.#fd = fd
    this.#header = header
    this.#start = start
    this.#hot = hot
    OPEN_FILES.register(this, fd, this)
  }

  /** Null where there is no snapshot for this key, or only a damaged or untrusted one. */
  static open(path: string, key: string, isTrusted: (stats: Stats) => boolean): SnapshotFile | null {
    const fd = openOrNull(path)
    if (fd === null) return null
    const file = SnapshotFile.#openDescriptor(path, fd, key, isTrusted)
    if (file === null) closeSync(fd)
    return file
  }

  static #openDescriptor(
    path: string,
    fd: number,
    key: string,
    isTrusted: (stats: Stats) => boolean,
  ): SnapshotFile | null {
    try {
      const stats = fstatSync(fd)
      const head = stats.isFile() && isTrusted(stats) ? readAt(fd, 0, Math.min(stats.size, HEAD_BYTES)) : null
      const header = head === null ? null : parseHeader(head)
      if (head === null || header === null || header.key !== key) return null
      const start = head.indexOf('\n', MAGIC.length) + 1
      if (start + header.size !== stats.size) return null
      const end = start + header.hot
      const hot = end <= head.length ? head.subarray(start, end) : readAt(fd, start, header.hot)
      return hot === null ? null : new SnapshotFile(path, fd, header, start, hot)
    } catch {
      return null
    }
  }

  /** For a file that is not read again; others are closed when they are garbage-collected. */
  close(): void {
    OPEN_FILES.unregister(this)
    closeSync(this.#fd)
  }

  get sections(): readonly string[] {
    return Object.keys(this.#header.sections)
  }

  /** The bytes of a section; none for a section that does not exist. Throws STATE_IO. */
  bytes(name: string): Buffer {
    const [start, length] = this.#header.sections[name] ?? [0, 0]
    if (start + length <= this.#hot.length) return this.#hot.subarray(start, start + length)
    return readAt(this.#fd, this.#start + start, length) ?? this.#damaged(name)
  }

  /** The value of a JSON section. Throws STATE_IO. */
  json(name: string): unknown {
    try {
      return JSON.parse(this.bytes(name).toString('utf8'))
    } catch {
      return this.#damaged(name)
    }
  }

  #damaged(name: string): never {
    throw new GsdError('STATE_IO', `the section ${quote(name)} of the snapshot ${quote(this.#path)} cannot be read`, {
      hint: 'gsd capability cache clean',
    })
  }
}

const OPEN_FILES = new FinalizationRegistry<number>(closeSync)

interface Header {
  readonly key: string
  /** Bytes after the header. */
  readonly size: number
  /** Bytes of the hot sections. */
  readonly hot: number
  readonly sections: Readonly<Record<string, readonly [start: number, length: number]>>
}

const MAGIC = 'gsd-snapshot 2\n'
/** Read at once: the header and, for few capabilities, all hot sections. */
const HEAD_BYTES = 64 * 1024

export type Sections = readonly (readonly [name: string, content: Buffer | string])[]

/** The bytes of a snapshot. */
export const encodeSnapshot = (
  key: string,
  { hot, cold }: { readonly hot: Sections; readonly cold: Sections },
): Buffer => {
  const sections: Record<string, [number, number]> = {}
  const parts: Buffer[] = []
  let size = 0
  const addAll = (all: Sections): number => {
    for (const [name, content] of all) {
      const part = typeof content === 'string' ? Buffer.from(content) : content
      sections[name] = [size, part.length]
      parts.push(part)
      size += part.length
    }
    return size
  }
  const header: Header = { key, hot: addAll(hot), size: addAll(cold), sections }
  return Buffer.concat([Buffer.from(`${MAGIC}${JSON.stringify(header)}\n`), ...parts])
}

/** Replaces a snapshot, readable for its owner alone. Throws errors of the system. */
export const writeSnapshotFile = async (path: string, bytes: Buffer): Promise<void> => {
  const { default: writeFileAtomic } = await import('write-file-atomic')
  // It would replace the target of a link.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(path)
  await writeFileAtomic(path, bytes, { mode: 0o600 })
}

const parseHeader = (head: Buffer): Header | null => {
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) return null
  const end = head.indexOf('\n', MAGIC.length)
  return end === -1 ? null : (JSON.parse(head.toString('utf8', MAGIC.length, end)) as Header)
}

const openOrNull = (path: string): number | null => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return null
  }
}

/** Null when the file is too short. */
const readAt = (fd: number, position: number, length: number): Buffer | null => {
  const bytes = Buffer.allocUnsafeSlow(length)
  let done = 0
  while (done < length) {
    const read = readSync(fd, bytes, done, length - done, position + done)
    if (read === 0) return null
    done += read
  }
  return bytes
}
