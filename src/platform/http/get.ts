import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { GsdError, interruptedError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import { quote } from '../../redact.ts'
import { isLoopback } from '../../spec/url-authority.ts'
import { VERSION } from '../../version.ts'
import { networkError, statusError, TimedOut } from './http-error.ts'
import { findProxy } from './proxy.ts'
import { sendRequest, type Timeouts } from './send-request.ts'

/** What a request may use and contact. */
export interface HttpContext {
  /** For `HTTPS_PROXY` and its kind. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Plain http to this machine is allowed. */
  readonly allowHttp: boolean
  /** Called before each host is contacted, redirects too. Throws to refuse it. */
  readonly checkHost: (url: URL) => void
  /** Credentials; sent to the origin of the request and not to where it redirects. */
  readonly authorizationFor: (url: URL) => HttpAuthorization
}

export interface HttpAuthorization {
  readonly headers: Readonly<Record<string, string>>
  /** What the user can do when the host refuses; it follows "if it is private, ". */
  readonly hint: string
}

export interface HttpRequest {
  readonly url: string
  readonly accept: string
  /** Sent to every host, redirects too: nothing secret. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts: Timeouts
}

/** A successful response, after all redirects. */
export interface HttpResponse {
  /** 304 only for a conditional request. */
  readonly status: 200 | 304
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  /** Must be read to its end or destroyed. */
  readonly body: IncomingMessage
  readonly limits: {
    /** When the body has to be complete; by the clock of `performance.now()`. */
    readonly deadline: number
    /** Milliseconds from the request to then. */
    readonly total: number
  }
}

const MAX_REDIRECTS = 5
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

/**
 * GET by the rules of the security page, "http": https only (http to this machine where allowed), at most 5 redirects and
 * never to http, each host checked before it is contacted, credentials for the first origin only, status 200 only.
 * @throws GsdError FETCH_NETWORK, FETCH_TIMEOUT, FETCH_REDIRECT, FETCH_AUTH, FETCH_NOT_FOUND, FETCH_HTTP, INTERRUPTED, and
 *   what `checkHost` throws
 */
export const httpGet = async (request: HttpRequest, context: HttpContext): Promise<HttpResponse> => {
  const first = new URL(request.url)
  checkScheme(first, context)
  const authorization = context.authorizationFor(first)
  const { total } = request.timeouts
  const deadline = performance.now() + total
  let url = first
  for (let redirects = 0; ; redirects++) {
    context.checkHost(url)
    const body = await sendOnce(url, context, {
      timeouts: limitedTimeouts(request.timeouts, Math.max(1, Math.ceil(deadline - performance.now()))),
      headers: {
        accept: request.accept,
        'accept-encoding': 'identity',
        'user-agent': `gsd/${VERSION}`,
        ...request.headers,
        ...(url.origin === first.origin ? authorization.headers : {}),
      },
    })
    const { statusCode: status = 0, headers } = body
    if (status === 200 || (status === 304 && request.headers !== undefined))
      return { status, url, headers, body, limits: { deadline, total } }
    body.destroy()
    if (!REDIRECT_STATUSES.includes(status))
      throw statusError(status, url, { authHint: authorization.hint, retryAfter: headers['retry-after'] })
    if (redirects === MAX_REDIRECTS) {
      throw redirectError(first, `is redirected more than ${MAX_REDIRECTS} times`, 'check the address in a browser')
    }
    url = nextUrl(url, headers.location)
  }
}

/** After redirects less time is left. */
const limitedTimeouts = ({ connect, idle, total }: Timeouts, left: number): Timeouts => ({
  connect: Math.min(connect, left),
  idle,
  total: Math.min(total, left),
})

const sendOnce = async (
  url: URL,
  { signal, env }: HttpContext,
  options: { readonly timeouts: Timeouts; readonly headers: Readonly<Record<string, string>> },
): Promise<IncomingMessage> => {
  try {
    return await sendRequest({ ...options, url, signal, proxy: findProxy(url, env) })
  } catch (error) {
    throw signal.aborted ? interruptedError() : networkError(error, url)
  }
}

const checkScheme = (url: URL, { allowHttp }: HttpContext): void => {
  if (url.protocol === 'https:' || (allowHttp && isPlainLoopback(url))) return
  throw new GsdError('SPEC_REFUSED', `${quote(url.href)} is not encrypted`, {
    hint: 'use the https url; for a server on this machine add --allow-http',
  })
}

/** Plain http on this machine may redirect to plain http on this machine; everything else only to https. */
const nextUrl = (from: URL, location: string | undefined): URL => {
  let next
  try {
    next = new URL(location ?? '', from)
  } catch {
    next = null
  }
  if (next === null || location === undefined || location === '') {
    throw redirectError(from, 'is redirected, but its server does not say where', 'check the address in a browser')
  }
  next.username = ''
  next.password = ''
  next.hash = ''
  if (next.protocol === 'https:' || (isPlainLoopback(from) && isPlainLoopback(next))) return next
  throw redirectError(from, `is redirected to ${quote(next.href)}, which is not https`, 'use an address with https')
}

const isPlainLoopback = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url.hostname)

const redirectError = (url: URL, what: string, hint: string): GsdError =>
  new GsdError('FETCH_REDIRECT', `${quote(url.href)} ${what}`, { hint })

export interface BodyOptions {
  readonly signal: AbortSignal
  /** Bytes; a larger body is refused, by its declared length or while it arrives. */
  readonly limit: number
  /** Bytes so far, and in total where the server says. */
  readonly progress?: (done: number, total: number | undefined) => void
}

/**
 * Passes the body of a response on, chunk by chunk. Its length must be the declared one.
 * @throws GsdError FETCH_NETWORK, FETCH_TIMEOUT, ARCHIVE_TOO_LARGE, INTERRUPTED, and what `take` throws
 */
export const readBody = async (
  { body, url, headers, limits }: HttpResponse,
  { signal, limit, progress }: BodyOptions,
  take: (chunk: Buffer) => void,
): Promise<void> => {
  const total = parseLength(headers['content-length'])
  if (total !== undefined && total > limit) throw (body.destroy(), tooLarge(url, limit))
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity' && !isGzipFile(headers)) {
    throw (body.destroy(), unexpectedEncoding(url, encoding))
  }
  const late = setTimeout(
    () => body.destroy(new TimedOut('the download did not end', limits.total)),
    Math.max(1, limits.deadline - performance.now()),
  )
  let done = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      done += chunk.length
      if (done > limit) throw tooLarge(url, limit)
      take(chunk)
      progress?.(done, total)
    }
  } catch (error) {
    if (signal.aborted) throw interruptedError()
    if (total !== undefined && done < total && isReset(error)) throw incomplete(url, done, total)
    throw error instanceof GsdError ? error : networkError(error, url)
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

const parseLength = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined

/** Some servers declare the compression of an archive as a content encoding; its bytes are taken unchanged. */
const isGzipFile = (headers: HttpResponse['headers']): boolean =>
  /gzip/.test(headers['content-encoding'] ?? '') && !/json|text/.test(headers['content-type'] ?? '')

const isReset = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

const incomplete = (url: URL, done: number, total: number): GsdError =>
  new GsdError('FETCH_NETWORK', `${quote(url.href)} was cut off after ${done} of ${total} bytes`, { hint: 'try again' })

const tooLarge = (url: URL, limit: number): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(url.href)} is larger than ${formatSize(limit)}`, {
    hint: 'a bundle holds text and small scripts; leave out everything else',
  })

const unexpectedEncoding = (url: URL, encoding: string): GsdError =>
  new GsdError('FETCH_HTTP', `${quote(url.href)} is sent with the unexpected encoding ${quote(encoding)}`, {
    hint: 'tell whoever runs the server',
  })
