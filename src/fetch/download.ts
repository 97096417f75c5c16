import { requireGzip } from '../bundle/archive/require-gzip.ts'
import { httpGet, type HttpRequest, readBody } from '../platform/http/get.ts'
import { timeoutsOf } from '../platform/http/send-request.ts'
import { type Artifact, createArtifact } from './cache/artifacts.ts'
import type { FetchContext } from './fetcher.ts'
import { httpContext } from './http-context.ts'

/** Enough to recognise a format. */
const HEAD_BYTES = 512
/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 100

/**
 * Downloads an archive into the cache. What is not gzip is refused by its first bytes.
 * @param limit largest archive, in bytes
 * @throws GsdError what {@link httpGet} and {@link readBody} throw, ARCHIVE_NOT_GZIP, STATE_*
 */
export const download = async (
  request: Pick<HttpRequest, 'url'> & Partial<Pick<HttpRequest, 'timeouts'>>,
  limit: number,
  context: FetchContext,
): Promise<Artifact> => {
  const accept = 'application/gzip, application/octet-stream, */*;q=0.5'
  context.report({ kind: 'progress', text: `contacting ${request.url}` })
  const timeouts = request.timeouts ?? timeoutsOf(context.fetchTimeout)
  const response = await httpGet({ ...request, timeouts, accept }, httpContext(context))
  const artifact = createArtifact(context.disk, context.cache)
  try {
    const check = gzipCheck(request.url)
    await readBody(
      response,
      {
        signal: context.signal,
        limit,
        progress: throttledProgress(context, request.url),
      },
      (chunk) => {
        check.take(chunk)
        artifact.write(chunk)
      },
    )
    check.finish()
  } catch (error) {
    artifact.discard()
    throw error
  }
  return artifact.finish()
}

/** Checks the first bytes as soon as enough have arrived. */
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
