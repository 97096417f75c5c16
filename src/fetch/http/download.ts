import { expectGzip } from '../../bundle/formats.ts'
import { openIncoming, type Artifact } from '../cache/artifacts.ts'
import type { FetchContext } from '../fetched.ts'
import { ask, type Question } from './ask.ts'
import { readBody } from './read-body.ts'

/** As many first bytes as tell a format. */
const HEAD = 512
/** Milliseconds between two words of progress. */
const PACE = 100

/**
 * Downloads an archive into the cache. What is not gzip is refused at its first bytes, by name.
 * @param limit largest archive, in bytes
 * @throws GsdError what `ask` throws, ARCHIVE_NOT_GZIP, ARCHIVE_TOO_LARGE, STATE_*
 */
export const download = async (
  question: Omit<Question, 'accept'>,
  limit: number,
  context: FetchContext,
): Promise<Artifact> => {
  const answer = await ask({ ...question, accept: 'application/gzip, application/octet-stream, */*;q=0.5' }, context)
  const incoming = openIncoming(context.disk, context.cache)
  try {
    const check = gzipCheck(question.url)
    const progress = paced(context, question.url)
    await readBody(
      answer,
      context,
      { limit, progress, ...(question.times === undefined ? {} : { times: question.times }) },
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
  return incoming.keep()
}

/** Looks at the first bytes as soon as they are there. */
const gzipCheck = (url: string): { take(chunk: Buffer): void; finish(): void } => {
  let head = Buffer.alloc(0)
  let done = false
  const finish = (): void => {
    if (!done) expectGzip(head, url)
    done = true
  }
  return {
    finish,
    take(chunk) {
      if (done) return
      head = Buffer.concat([head, chunk.subarray(0, HEAD - head.length)])
      if (head.length === HEAD) finish()
    },
  }
}

const paced = ({ report }: FetchContext, url: string) => {
  let last = 0
  return (done: number, total: number | undefined): void => {
    const now = Date.now()
    if (now - last < PACE) return
    last = now
    report({ kind: 'progress', text: `downloading ${url}`, done, ...(total === undefined ? {} : { total }) })
  }
}
