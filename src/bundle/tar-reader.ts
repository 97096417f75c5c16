import { quote } from '../redact.ts'
import type { Entry } from './bundle.ts'
import { LIMITS, sizeText } from './limits.ts'
import { judgeGlobalPax, readPax } from './pax.ts'
import { corrupt, tooLarge, trailingData, unsafe } from './refusal.ts'
import { addsUp, BLOCK, isZero, readTarHeader, utf8, type TarHeader } from './tar-header.ts'

/** Who is told what a tar archive holds, in its order. May throw to stop the reading. */
export interface TarSink {
  entry(entry: Entry): void
  /** Content of the last entry, in pieces that are not used again. */
  data(chunk: Buffer): void
  /** The last entry is complete. */
  end(): void
  /** Bytes that belong to no file. */
  overhead(bytes: number): void
}

export interface TarReader {
  write(chunk: Buffer): void
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
 * Reads a tar stream piece by piece (ustar, pax, GNU long names). Nothing is skipped: what is not understood is refused.
 * Why not a library: docs/explanation/reading-archives.md. Throws ARCHIVE_CORRUPT, ARCHIVE_UNSAFE, ARCHIVE_TOO_LARGE.
 */
export const tarReader = (sink: TarSink): TarReader => {
  let state: State = { kind: 'header' }
  let partial = Buffer.alloc(0)
  let name: string | undefined
  let size: number | undefined
  let started = false

  const afterHeader = (header: TarHeader | null): State => {
    if (header === null) {
      if (name !== undefined || size !== undefined) throw endsEarly()
      return { kind: 'tail', zeros: BLOCK }
    }
    if (header.kind === 'entry') return openEntry(header)
    sink.overhead(BLOCK + header.size)
    if (header.size > LIMITS.extendedHeader) {
      throw tooLarge('extended-header', `an extended header is larger than ${sizeText(LIMITS.extendedHeader)}`)
    }
    return header.size === 0 ? { kind: 'header' } : { kind: 'meta', header, parts: [], left: header.size }
  }

  const openEntry = (header: TarHeader): State => {
    const path = name ?? header.path
    const { type } = header
    if (type === 'sparse') throw unsafe(path, 'sparse', 'is a sparse file')
    const bytes = type === 'file' ? (size ?? header.size) : 0
    sink.entry({ path, type, size: bytes, executable: header.executable })
    name = undefined
    size = undefined
    if (bytes > 0) return { kind: 'body', left: bytes, padding: paddingOf(bytes) }
    sink.end()
    return { kind: 'header' }
  }

  const closeMeta = (header: TarHeader, body: Buffer): void => {
    if (header.kind === 'global-pax') return judgeGlobalPax(body)
    if (header.kind === 'long-link') return
    const found = header.kind === 'pax' ? readPax(body) : { path: longName(body) }
    if (found.path !== undefined) {
      if (name !== undefined && name !== found.path) {
        throw unsafe(found.path, 'two-names', `is also called ${quote(name)} by the same archive`)
      }
      name = found.path
    }
    if ('size' in found && found.size !== undefined) size = found.size
  }

  /** Takes what the state can use from the front of `chunk`; returns how much. */
  const step = (chunk: Buffer): number => {
    switch (state.kind) {
      case 'header': {
        if (partial.length === 0 && chunk.length >= BLOCK) {
          state = afterHeader(readBlock(chunk.subarray(0, BLOCK)))
          return BLOCK
        }
        const taken = chunk.subarray(0, BLOCK - partial.length)
        partial = Buffer.concat([partial, taken])
        if (partial.length === BLOCK) {
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
        sink.overhead(chunk.length)
        if (!isZero(chunk)) throw trailingData()
        state.zeros += chunk.length
        return chunk.length
      }
    }
  }

  const readBlock = (block: Buffer): TarHeader | null => {
    if (!started && !addsUp(block) && !isZero(block)) throw notTar()
    started = true
    return readTarHeader(block)
  }

  return {
    write(chunk) {
      let at = 0
      while (at < chunk.length) at += step(chunk.subarray(at))
    },
    finish() {
      if (!started) throw notTar()
      if (state.kind !== 'tail' || state.zeros < 2 * BLOCK) throw endsEarly()
    },
  }
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

const afterBody = (padding: number): State => (padding === 0 ? { kind: 'header' } : { kind: 'padding', left: padding })

/** GNU long names end in NUL. */
const longName = (body: Buffer): string => {
  const end = body.indexOf(0)
  const bytes = end === -1 ? body : body.subarray(0, end)
  if (end !== -1 && !isZero(body.subarray(end))) {
    throw unsafe(utf8(bytes, ''), 'control-character', 'holds a NUL')
  }
  return utf8(bytes, '')
}

const notTar = () => corrupt('not-tar', 'the gzip file does not hold a tar archive')
const endsEarly = () => corrupt('ends-early', 'the archive ends early')
