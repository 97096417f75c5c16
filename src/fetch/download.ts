import { httpGet, type HttpRequest } from '../platform/http/get.ts'
import { readBody } from '../platform/http/read-body.ts'
import { requireGzip } from '../platform/require-gzip.ts'
import { createArtifact, type Artifact } from './cache/artifacts.ts'
import type { FetchContext } from './fetcher.ts'

/** As many first bytes as tell a format. */
const HEAD_BYTES = 512
/** Milliseconds between two words of progress. */
const PROGRESS_INTERVAL_MS = 100

/**
 * Downloads an archive into the cache. What is not gzip is refused at its first bytes, by name.
 * @param limit largest archive, in bytes
 * @throws GsdError what `ask` throws, ARCHIVE_NOT_GZIP, ARCHIVE_TOO_LARGE, STATE_*
 */
export const download = async (
  question: Omit<HttpRequest, 'accept'>,
  limit: number,
  context: FetchContext,
): Promise<Artifact> => {
  const answer = await httpGet(
    { ...question, accept: 'application/gzip, application/octet-stream, */*;q=0.5' },
    context,
  )
  const incoming = createArtifact(context.disk, context.cache)
  try {
    const check = gzipCheck(question.url)
    const progress = throttledProgress(context, question.url)
    await readBody(
      answer,
      context,
      { limit, progress, ...(question.timeouts === undefined ? {} : { timeouts: question.timeouts }) },
      (chunk) => {
        check.take(chunk)
        incoming.write(chunk)
      },
    )
    check.finish()
  } catch (error) {
    incoming.discard()
    throw error
  }
  return incoming.finish()
}

/** Looks at the first bytes as soon as they are there. */
const gzipCheck = (url: string): { take(chunk: Buffer): void; finish(): void } => {
  let head = Buffer.alloc(0)
  let done = false
  const finish = (): void => {
    if (!done) requireGzip(head, url)
    done = true
  }
  return {
    finish,
    take(chunk) {
      if (done) return
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)])
      if (head.length === HEAD_BYTES) finish()
    },
  }
}

const throttledProgress = ({ report }: FetchContext, url: string) => {
  let last = 0
  return (done: number, total: number | undefined): void => {
    const now = Date.now()
    if (now - last < PROGRESS_INTERVAL_MS) return
    last = now
    report({ kind: 'progress', text: `downloading ${url}`, done, ...(total === undefined ? {} : { total }) })
  }
}
