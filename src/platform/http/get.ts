import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { GsdError, interruptedError } from '../../errors.ts'
import { findAuthorization } from '../../fetch/authorization.ts'
import type { FetchContext } from '../../fetch/fetcher.ts'
import { quote } from '../../redact.ts'
import { isLoopback } from '../../spec/url-authority.ts'
import { VERSION } from '../../version.ts'
import { networkError, statusError } from './http-error.ts'
import { findProxy } from './proxy.ts'
import { DEFAULT_TIMEOUTS, sendRequest, type Timeouts } from './send-request.ts'

export interface HttpRequest {
  readonly url: string
  readonly accept: string
  /** Sent too, to every host on the way: nothing secret. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Timeouts
}

/** An answer that was found, behind all redirects. */
export interface HttpResponse {
  /** 304 only where the question's headers ask for it. */
  readonly status: 200 | 304
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  /** Has to be read to its end or destroyed. */
  readonly body: IncomingMessage
}

const MAX_REDIRECTS = 5
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

/**
 * Gets a url by the rules of the security page, "http": https only (http to this machine where it is allowed), at most 5
 * redirects and never to http, each host judged before it is contacted, credentials for the first host only, 200 only.
 *
 * @throws GsdError FETCH_NETWORK, FETCH_TIMEOUT, FETCH_REDIRECT, FETCH_AUTH, FETCH_NOT_FOUND, FETCH_HTTP, POLICY_*,
 *   INTERRUPTED
 */
export const httpGet = async (question: HttpRequest, context: FetchContext): Promise<HttpResponse> => {
  const first = new URL(question.url)
  checkScheme(first, context)
  const authorization = findAuthorization(first, context)
  let url = first
  for (let redirects = 0; ; redirects++) {
    context.checkPolicy?.({ kind: 'host', host: url.hostname, catalog: context.viaCatalog })
    const body = await sendOnce(url, context, {
      times: question.timeouts ?? DEFAULT_TIMEOUTS,
      headers: {
        accept: question.accept,
        'accept-encoding': 'identity',
        'user-agent': `gsd/${VERSION}`,
        ...question.headers,
        ...(url.origin === first.origin ? authorization.headers : {}),
      },
    })
    const { statusCode: status = 0, headers } = body
    if (status === 200 || (status === 304 && question.headers !== undefined)) return { status, url, headers, body }
    body.destroy()
    if (!REDIRECT_STATUSES.includes(status))
      throw statusError(status, url, { authHint: authorization.hint, retryAfter: headers['retry-after'] })
    if (redirects === MAX_REDIRECTS) {
      throw redirectError(first, `is redirected more than ${MAX_REDIRECTS} times`, 'check the address in a browser')
    }
    url = nextUrl(url, headers.location)
  }
}

const sendOnce = async (
  url: URL,
  { signal, env }: FetchContext,
  { times: timeouts, headers }: { readonly times: Timeouts; readonly headers: Readonly<Record<string, string>> },
): Promise<IncomingMessage> => {
  try {
    return await sendRequest({ url, headers, timeouts, signal, proxy: findProxy(url, env) })
  } catch (error) {
    throw signal.aborted ? interruptedError() : networkError(error, url)
  }
}

const checkScheme = (url: URL, { allowHttp }: FetchContext): void => {
  if (url.protocol === 'https:' || (allowHttp && isPlainLoopback(url))) return
  throw new GsdError('SPEC_REFUSED', `${quote(url.href)} is not encrypted`, {
    hint: 'write the https url; for a server on this machine add --allow-http',
  })
}

/** From one plain address of this machine a redirect may lead to another; in every other case only to https. */
const nextUrl = (from: URL, location: string | undefined): URL => {
  let next
  try {
    next = new URL(location ?? '', from)
  } catch {
    next = null
  }
  if (next === null || location === undefined || location === '') {
    throw redirectError(from, 'is redirected to nowhere', 'check the address in a browser')
  }
  next.username = ''
  next.password = ''
  next.hash = ''
  if (next.protocol === 'https:' || (isPlainLoopback(from) && isPlainLoopback(next))) return next
  throw redirectError(
    from,
    `is redirected to ${quote(next.href)}, which is not https`,
    'ask for an address that stays encrypted',
  )
}

const isPlainLoopback = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url.hostname)

const redirectError = (url: URL, what: string, hint: string): GsdError =>
  new GsdError('FETCH_REDIRECT', `${quote(url.href)} ${what}`, { hint })
