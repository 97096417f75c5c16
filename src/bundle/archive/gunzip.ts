import { Readable } from 'node:stream'
import { createGunzip, type ZlibOptions } from 'node:zlib'
import { interruptedError } from '../../errors.ts'
import { readChunks, type ReadDisk } from '../open-file.ts'
import { corruptArchiveError, trailingDataError } from './archive-errors.ts'
import { isZero } from './tar-header.ts'

export interface GunzipOptions {
  readonly signal?: AbortSignal | undefined
  /** Is shown every packed byte, in order. */
  readonly onPacked?: ((chunk: Buffer) => void) | undefined
}

// A little is unpacked in another thread while this one writes and hashes; large pieces change hands less often. One option
// is a stream's, so zlib's own type does not name it.
const GUNZIP_OPTIONS: ZlibOptions & { readonly readableHighWaterMark: number } = {
  chunkSize: 1024 * 1024,
  readableHighWaterMark: 2 * 1024 * 1024,
}

/**
 * The unpacked bytes of an open gzip file, a piece at a time. Only a little is unpacked ahead of what was taken,
 * so memory stays small however much a file unpacks to. Several gzip members one after the other are one stream (pigz,
 * bgzip and `cat` make such), zeros after the last one are padding, anything else there is refused.
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
  // Padding that was not asked for is still part of the file.
  for (const _ of packed());
}

const toArchiveError = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'Z_BUF_ERROR') return corruptArchiveError('gzip', 'the archive ends early: its gzip stream is cut off')
  if (typeof code === 'string' && code.startsWith('Z_'))
    return corruptArchiveError('gzip', `the archive is damaged: ${(error as Error).message}`)
  return error
}
