import { GsdError, interruptedError } from '../../errors.ts'
import type { FetchContext } from '../../fetch/fetcher.ts'
import { formatSize } from '../../format-size.ts'
import { quote } from '../../redact.ts'
import type { HttpResponse } from './get.ts'
import { networkError, TimedOut } from './http-error.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from './send-request.ts'

export interface BodyOptions {
  /** Bytes. More is refused, by what the server says or while it comes. */
  readonly limit: number
  readonly timeouts?: Timeouts
  /** Bytes so far, and in all where the server says. */
  readonly progress?: (done: number, total: number | undefined) => void
}

/**
 * Hands the body of an answer over piece by piece. Its length must be what the server said.
 * @throws GsdError FETCH_NETWORK, FETCH_TIMEOUT, ARCHIVE_TOO_LARGE, INTERRUPTED, and what `take` throws
 */
export const readBody = async (
  answer: HttpResponse,
  { signal }: Pick<FetchContext, 'signal'>,
  options: BodyOptions,
  take: (chunk: Buffer) => void,
): Promise<void> => {
  const { body, url, headers } = answer
  const total = parseLength(headers['content-length'])
  if (total !== undefined && total > options.limit) throw (body.destroy(), tooLarge(url, options.limit))
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity' && !isGzipFile(headers)) {
    throw (body.destroy(), unexpectedEncoding(url, headers['content-encoding']))
  }
  const times = options.timeouts ?? DEFAULT_TIMEOUTS
  const late = setTimeout(() => body.destroy(new TimedOut('the download did not end', times.total)), times.total)
  let done = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      done += chunk.length
      if (done > options.limit) throw tooLarge(url, options.limit)
      take(chunk)
      options.progress?.(done, total)
    }
  } catch (error) {
    if (signal.aborted) throw interruptedError()
    if (total !== undefined && done < total && isCut(error)) throw cutOff(url, done, total)
    throw error instanceof GsdError ? error : networkError(error, url)
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

const parseLength = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined

/** Some servers call an archive's own compression the transfer's; its bytes are taken as they are. */
const isGzipFile = (headers: HttpResponse['headers']): boolean =>
  /gzip/.test(headers['content-encoding'] ?? '') && !/json|text/.test(headers['content-type'] ?? '')

const isCut = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

const cutOff = (url: URL, done: number, total: number): GsdError =>
  new GsdError('FETCH_NETWORK', `${quote(url.href)} was cut off after ${done} of ${total} bytes`, { hint: 'try again' })

const tooLarge = (url: URL, limit: number): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(url.href)} is larger than ${formatSize(limit)}`, {
    hint: 'a bundle holds text and small scripts; leave out what is not needed',
  })

const unexpectedEncoding = (url: URL, encoding: string): GsdError =>
  new GsdError('FETCH_HTTP', `${quote(url.href)} comes encoded as ${quote(encoding)}, which was not asked for`, {
    hint: 'tell whoever runs the server',
  })
