import { sizeText } from '../../bundle/limits.ts'
import { interrupted } from '../../bundle/refusal.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { FetchContext } from '../fetched.ts'
import type { Answer } from './ask.ts'
import { networkFault, TimedOut } from './http-fault.ts'
import { TIMES, type Times } from './times.ts'

export interface BodyOptions {
  /** Bytes. More is refused, by what the server says or while it comes. */
  readonly limit: number
  readonly times?: Times
  /** Bytes so far, and in all where the server says. */
  readonly progress?: (done: number, total: number | undefined) => void
}

/**
 * Hands the body of an answer over piece by piece. Its length must be what the server said.
 * @throws GsdError FETCH_NETWORK, FETCH_TIMEOUT, ARCHIVE_TOO_LARGE, INTERRUPTED, and what `take` throws
 */
export const readBody = async (
  answer: Answer,
  { signal }: Pick<FetchContext, 'signal'>,
  options: BodyOptions,
  take: (chunk: Buffer) => void,
): Promise<void> => {
  const { body, url, headers } = answer
  const total = lengthOf(headers['content-length'])
  if (total !== undefined && total > options.limit) throw (body.destroy(), tooLarge(url, options.limit))
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity' && !isGzipFile(headers)) {
    throw (body.destroy(), encoded(url, headers['content-encoding']))
  }
  const times = options.times ?? TIMES
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
    if (signal.aborted) throw interrupted()
    if (total !== undefined && done < total && isCut(error)) throw cutOff(url, done, total)
    throw error instanceof GsdError ? error : networkFault(error, url)
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

const lengthOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined

/** Some servers call an archive's own compression the transfer's; its bytes are taken as they are. */
const isGzipFile = (headers: Answer['headers']): boolean =>
  /gzip/.test(headers['content-encoding'] ?? '') && !/json|text/.test(headers['content-type'] ?? '')

const isCut = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

const cutOff = (url: URL, done: number, total: number): GsdError =>
  new GsdError('FETCH_NETWORK', `${quote(url.href)} was cut off after ${done} of ${total} bytes`, { hint: 'try again' })

const tooLarge = (url: URL, limit: number): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(url.href)} is larger than ${sizeText(limit)}`, {
    hint: 'a bundle holds text and small scripts; leave out what is not needed',
  })

const encoded = (url: URL, encoding: string): GsdError =>
  new GsdError('FETCH_HTTP', `${quote(url.href)} comes encoded as ${quote(encoding)}, which was not asked for`, {
    hint: 'tell whoever runs the server',
  })
