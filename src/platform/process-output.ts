import { closeSync, openSync, writeFileSync } from 'node:fs'

/** What becomes of an output stream. */
export interface OutputOptions {
  /** Bytes that are kept. */
  readonly limit: number
  /** `fail` ends the program when there are more; the others drop what does not fit. */
  readonly overflow: 'fail' | 'keep-start' | 'keep-end'
  /** Receives every chunk as it comes. A throw ends the program and is rethrown. */
  readonly onData?: (chunk: Buffer) => void
  /** Where what is kept is written too, as it comes. Not with `keep-end`. */
  readonly file?: string
}

/** Options of a stream that is only passed on. */
export const passTo = (onData: (chunk: Buffer) => void): OutputOptions => ({ limit: 0, overflow: 'keep-start', onData })

/** Keeps what its options say of a stream. */
export interface Collector {
  readonly truncated: boolean
  take(chunk: Buffer): void
  /** What was kept. */
  finish(): Buffer
}

/** @param fail throws, when there is more than `limit` and `overflow` says so */
export const collectOutput = (
  { limit, overflow, onData, file }: OutputOptions,
  fail: (limit: number) => never,
): Collector => {
  const fd = file === undefined ? null : openSync(file, 'w', 0o600)
  let chunks: Buffer[] = []
  let size = 0
  let truncated = false
  return {
    get truncated() {
      return truncated && limit > 0
    },
    take(chunk) {
      onData?.(chunk)
      if (size + chunk.length > limit && overflow === 'fail') fail(limit)
      const kept = overflow === 'keep-end' ? tail(chunk, limit) : chunk.subarray(0, limit - size)
      truncated ||= kept.length < chunk.length
      if (kept.length === 0) return
      if (fd !== null) writeFileSync(fd, kept)
      chunks.push(kept)
      size += kept.length
      if (size > 2 * limit) {
        chunks = [tail(Buffer.concat(chunks), limit)]
        size = limit
        truncated = true
      }
    },
    finish() {
      if (fd !== null) closeSync(fd)
      const all = Buffer.concat(chunks)
      truncated ||= all.length > limit
      return tail(all, limit)
    },
  }
}

/** `subarray(-0)` would be all of it. */
const tail = (bytes: Buffer, limit: number): Buffer => bytes.subarray(Math.max(bytes.length - limit, 0))
