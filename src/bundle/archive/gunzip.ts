import { Readable } from 'node:stream'
import { createGunzip, type ZlibOptions } from 'node:zlib'
import { interruptedError } from '../../errors.ts'
import { readChunks, type ReadDisk } from '../open-file.ts'
import { corruptArchiveError, trailingDataError } from './archive-errors.ts'
import { isZero } from './tar-header.ts'

export interface GunzipOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with every packed byte, in order. */
  readonly onPacked?: ((chunk: Buffer) => void) | undefined
}

// Another thread unpacks a little ahead while this one writes and hashes; large pieces need fewer switches. One option
// belongs to streams, so zlib's type does not have it.
const GUNZIP_OPTIONS: ZlibOptions & { readonly readableHighWaterMark: number } = {
  chunkSize: 1024 * 1024,
  readableHighWaterMark: 2 * 1024 * 1024,
}

/**
 * The unpacked bytes of an open gzip file, piece by piece. Little is unpacked ahead of the reader, so memory stays small
 * whatever a file unpacks to. Several gzip members in a row are one stream (pigz, bgzip and `cat` write such files);
 * zeros after the last one are padding, anything else there is refused.
 * Throws ARCHIVE_CORRUPT, INTERRUPTED.
 */
export async function* gunzip(disk: ReadDisk, fd: number, options: GunzipOptions): AsyncGenerator<Buffer> {
  const engine = createGunzip(GUNZIP_OPTIONS)
  let position = 0
  const packed = function* (): Generator<Buffer> {
    for (const chunk of readChunks(disk, fd, position)) {
      position += chunk.length
      options.onPacked?.(chunk)
      yield chunk
    }
  }
  const source = Readable.from(packed(), { objectMode: false, highWaterMark: 1 })
  source.on('error', (error) => engine.destroy(error))
  source.pipe(engine)
  try {
    for await (const chunk of engine) {
      if (options.signal?.aborted) throw interruptedError()
      yield chunk as Buffer
    }
  } catch (error) {
    throw toArchiveError(error)
  } finally {
    source.unpipe(engine)
    source.destroy()
    engine.destroy()
  }
  for (const rest of readChunks(disk, fd, engine.bytesWritten)) if (!isZero(rest)) throw trailingDataError()
  // The padding is part of the file and counts in its hash.
  for (const _ of packed());
}

const toArchiveError = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'Z_BUF_ERROR') return corruptArchiveError('gzip', 'the archive ends early: its gzip stream is cut off')
  if (typeof code === 'string' && code.startsWith('Z_'))
    return corruptArchiveError('gzip', `the archive is damaged: ${(error as Error).message}`)
  return error
}
