import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { BlockBuffer } from './block-buffer.ts'

/**
 * One file of named sections, read piece by piece: a first line that says what it is, a line of JSON that says where each
 * section stands, then the sections. Those that are needed at once come first. The file stays open as long as the object
 * is in use, so that a later snapshot in its place does no harm.
 */
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

  /** Null where there is no snapshot for this key, or none that may be believed. */
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

  /** For a file of which nothing more will be asked; others are closed when nobody holds them any more. */
  close(): void {
    OPEN_FILES.unregister(this)
    closeSync(this.#fd)
  }

  get sections(): readonly string[] {
    return Object.keys(this.#header.sections)
  }

  /** The bytes of a section. Throws STATE_IO when the disk does not give them. */
  bytes(name: string): Buffer {
    const [start, length] = this.#header.sections[name] ?? [0, 0]
    if (start + length <= this.#hot.length) return this.#hot.subarray(start, start + length)
    return readAt(this.#fd, this.#start + start, length) ?? this.#damaged(name)
  }

  /** What a section of JSON says. Throws STATE_IO when it says nothing. */
  json(name: string): unknown {
    try {
      return JSON.parse(this.bytes(name).toString('utf8'))
    } catch {
      return this.#damaged(name)
    }
  }

  #damaged(name: string): never {
    throw new GsdError('STATE_IO', `the part ${quote(name)} of the snapshot ${quote(this.#path)} cannot be read`, {
      hint: 'gsd capability cache clean',
    })
  }
}

const OPEN_FILES = new FinalizationRegistry<number>(closeSync)

interface Header {
  readonly key: string
  /** Bytes after the header. */
  readonly size: number
  /** Bytes of the sections that are read at once. */
  readonly hot: number
  readonly sections: Readonly<Record<string, readonly [start: number, length: number]>>
}

const MAGIC = 'gsd-snapshot 1\n'
/** The header, and in small sets all that is needed at once. */
const HEAD_BYTES = 64 * 1024

/** Bytes, or a text in pieces. */
export type SectionContent = Buffer | Iterable<string>

export type Sections = readonly (readonly [name: string, content: SectionContent])[]

/** A snapshot, in parts of its bytes. */
export const encodeSnapshot = (
  key: string,
  { hot, cold }: { readonly hot: Sections; readonly cold: Sections },
): readonly Buffer[] => {
  const blocks = new BlockBuffer()
  const sections: Record<string, [number, number]> = {}
  const addAll = (all: Sections): number => {
    for (const [name, content] of all) {
      const start = blocks.length
      if (Buffer.isBuffer(content)) blocks.append(content)
      else for (const piece of content) blocks.append(piece)
      sections[name] = [start, blocks.length - start]
    }
    return blocks.length
  }
  const header: Header = { key, hot: addAll(hot), size: addAll(cold), sections }
  return [Buffer.from(`${MAGIC}${JSON.stringify(header)}\n`), ...blocks.parts]
}

/**
 * Writes a snapshot beside its place, whole and on disk before it is moved there, readable for its owner alone. Throws
 * errors of the system.
 */
export const writeSnapshotFile = async (path: string, parts: readonly Buffer[]): Promise<void> => {
  const temporary = `${path}.${process.pid}-${(temporaryCount += 1)}`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    try {
      for (const part of parts) await handle.writeFile(part)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

let temporaryCount = 0

/** Written by this user, and by nobody else. */
export const isOwnedByUser = (stats: Stats): boolean =>
  process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0)

const parseHeader = (head: Buffer): Header | null => {
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) return null
  const end = head.indexOf('\n', MAGIC.length)
  return end === -1 ? null : (JSON.parse(head.toString('utf8', MAGIC.length, end)) as Header)
}

const openOrNull = (path: string): number | null => {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
}

/** Null when the file ends before. */
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
