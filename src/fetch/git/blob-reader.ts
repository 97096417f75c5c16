import type { TreeSink } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

/** Parses the output of `git cat-file --batch`, chunk by chunk. */
export interface BlobReader {
  /** @throws FETCH_GIT for an object that is missing or not a blob, and what the sink throws */
  write(chunk: Buffer): void
  /** Contents that are complete. */
  count(): number
}

/** `<oid> SP blob SP <size> LF`, the content, LF. */
const HEADER = /^[0-9a-f]{40} blob (\d+)$/
const LF = 0x0a

export const blobReader = (sink: TreeSink): BlobReader => {
  let header = ''
  /** Bytes of content still expected; null: a header is expected. */
  let left: number | null = null
  let count = 0

  const takeHeader = (chunk: Buffer, at: number): number => {
    const end = chunk.indexOf(LF, at)
    header += chunk.toString('latin1', at, end === -1 ? chunk.length : end)
    if (end === -1) return chunk.length
    const size = HEADER.exec(header)?.[1]
    if (size === undefined)
      throw new GsdError('FETCH_GIT', `git printed ${quote(header)} instead of the content of a file`)
    header = ''
    left = Number(size)
    sink.begin(count)
    return end + 1
  }

  /** The content, then its LF. */
  const takeContent = (chunk: Buffer, at: number, missing: number): number => {
    if (missing === 0) {
      sink.end()
      count += 1
      left = null
      return at + 1
    }
    const end = Math.min(chunk.length, at + missing)
    sink.data(chunk.subarray(at, end))
    left = missing - (end - at)
    return end
  }

  return {
    write(chunk) {
      for (let at = 0; at < chunk.length;) at = left === null ? takeHeader(chunk, at) : takeContent(chunk, at, left)
    },
    count: () => count,
  }
}
