import { formatSize } from '../../format-size.ts'
import { quote } from '../../redact.ts'
import type { SourceEntry } from '../bundle.ts'
import { LIMITS } from '../limits.ts'
import { PATH_RULES } from '../path-rules.ts'
import { corruptArchiveError, tooLargeError, trailingDataError, unsafeEntryError } from './archive-errors.ts'
import { checkGlobalPax, parsePax } from './pax.ts'
import { hasValidChecksum, BLOCK_SIZE, isZero, parsePaddedName, parseTarHeader, type TarHeader } from './tar-header.ts'

/** Takes the entries of a tar archive in their order. May throw to stop the reading. */
export interface TarSink {
  entry(entry: SourceEntry): void
  /** Content of the last entry; the pieces may be kept. */
  data(chunk: Buffer): void
  /** The last entry is complete. */
  end(): void
  /** Bytes that belong to no file. */
  countOverhead(bytes: number): void
}

export interface TarReader {
  write(chunk: Buffer): void
  /** True while the body of an extended header or long name is incomplete. */
  isInExtendedHeader(): boolean
  /** No more bytes come. Throws ARCHIVE_CORRUPT where the archive is not complete. */
  finish(): void
}

type State =
  | { readonly kind: 'header' }
  | { readonly kind: 'meta'; readonly header: TarHeader; readonly parts: Buffer[]; left: number }
  | { readonly kind: 'body'; left: number; readonly padding: number }
  | { readonly kind: 'padding'; left: number }
  /** After the first block of zeros: only zeros may follow. */
  | { readonly kind: 'tail'; zeros: number }

/**
 * Reads a tar stream piece by piece (ustar, pax, GNU long names). It skips nothing and refuses what it does not know.
 * Why not only a library: docs/explanation/reading-archives.md. Throws ARCHIVE_CORRUPT, ARCHIVE_UNSAFE,
 * ARCHIVE_TOO_LARGE.
 */
export const createTarReader = (sink: TarSink): TarReader => {
  let state: State = { kind: 'header' }
  let partial = Buffer.alloc(0)
  let name: string | undefined
  let size: number | undefined
  let started = false

  const afterHeader = (header: TarHeader | null): State => {
    if (header === null) {
      if (name !== undefined || size !== undefined) throw truncatedError()
      return { kind: 'tail', zeros: BLOCK_SIZE }
    }
    if (header.kind === 'entry') return openEntry(header)
    sink.countOverhead(BLOCK_SIZE + header.size)
    if (header.size > LIMITS.extendedHeader) {
      throw tooLargeError('extended-header', `an extended header is larger than ${formatSize(LIMITS.extendedHeader)}`)
    }
    return header.size === 0 ? { kind: 'header' } : { kind: 'meta', header, parts: [], left: header.size }
  }

  const openEntry = (header: TarHeader): State => {
    const path = name ?? header.path
    if (path === '') throw unsafeEntryError(path, 'empty-path', PATH_RULES['empty-path'])
    // Old archives mark a folder only by the slash at the end of its name.
    const type = header.isPlainFile && path.endsWith('/') ? 'directory' : header.type
    if (type === 'sparse') throw unsafeEntryError(path, 'sparse', 'is a sparse file')
    const bytes = type === 'file' ? (size ?? header.size) : 0
    sink.entry({ path, type, size: bytes, executable: header.executable })
    name = undefined
    size = undefined
    if (bytes > 0) return { kind: 'body', left: bytes, padding: paddingOf(bytes) }
    sink.end()
    return { kind: 'header' }
  }

  const closeMeta = (header: TarHeader, body: Buffer): void => {
    if (header.kind === 'global-pax') return checkGlobalPax(body)
    if (header.kind === 'long-link') return
    const found = header.kind === 'pax' ? parsePax(body) : { path: parsePaddedName(body) }
    if (found.path !== undefined) {
      if (name !== undefined && name !== found.path) {
        throw unsafeEntryError(found.path, 'two-names', `has a second name in the archive: ${quote(name)}`)
      }
      name = found.path
    }
    if ('size' in found && found.size !== undefined) size = found.size
  }

  /** Reads from the front of `chunk` what the state needs; returns the number of bytes. */
  const step = (chunk: Buffer): number => {
    switch (state.kind) {
      case 'header': {
        if (partial.length === 0 && chunk.length >= BLOCK_SIZE) {
          state = afterHeader(readBlock(chunk.subarray(0, BLOCK_SIZE)))
          return BLOCK_SIZE
        }
        const taken = chunk.subarray(0, BLOCK_SIZE - partial.length)
        partial = Buffer.concat([partial, taken])
        if (partial.length === BLOCK_SIZE) {
          const block = partial
          partial = Buffer.alloc(0)
          state = afterHeader(readBlock(block))
        }
        return taken.length
      }
      case 'meta': {
        const taken = chunk.subarray(0, state.left)
        state.parts.push(taken)
        state.left -= taken.length
        if (state.left === 0) {
          const { header, parts } = state
          closeMeta(header, Buffer.concat(parts))
          state = afterBody(paddingOf(header.size))
        }
        return taken.length
      }
      case 'body': {
        const taken = chunk.subarray(0, state.left)
        sink.data(taken)
        state.left -= taken.length
        if (state.left === 0) {
          sink.end()
          state = afterBody(state.padding)
        }
        return taken.length
      }
      case 'padding': {
        const taken = Math.min(chunk.length, state.left)
        state.left -= taken
        if (state.left === 0) state = { kind: 'header' }
        return taken
      }
      case 'tail': {
        sink.countOverhead(chunk.length)
        if (!isZero(chunk)) throw trailingDataError()
        state.zeros += chunk.length
        return chunk.length
      }
    }
  }

  const readBlock = (block: Buffer): TarHeader | null => {
    if (!started && !hasValidChecksum(block) && !isZero(block)) throw notTarError()
    started = true
    return parseTarHeader(block)
  }

  return {
    write(chunk) {
      let at = 0
      while (at < chunk.length) at += step(chunk.subarray(at))
    },
    isInExtendedHeader: () => state.kind === 'meta',
    finish() {
      if (!started) throw notTarError()
      if (state.kind !== 'tail' || state.zeros < 2 * BLOCK_SIZE) throw truncatedError()
    },
  }
}

const paddingOf = (size: number): number => (BLOCK_SIZE - (size % BLOCK_SIZE)) % BLOCK_SIZE

const afterBody = (padding: number): State => (padding === 0 ? { kind: 'header' } : { kind: 'padding', left: padding })

const notTarError = () => corruptArchiveError('not-tar', 'the gzip file does not hold a tar archive')
const truncatedError = () => corruptArchiveError('ends-early', 'the archive ends early')
