import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { interrupted } from '../../bundle/refusal.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { isLoopback } from '../../spec/host-name.ts'
import { VERSION } from '../../version.ts'
import type { FetchContext } from '../fetched.ts'
import { authorizationFor } from './authorization.ts'
import { openHop } from './hop.ts'
import { networkFault, statusFault } from './http-fault.ts'
import { proxyFor } from './proxy.ts'
import { TIMES, type Times } from './times.ts'

export interface Question {
  readonly url: string
  readonly accept: string
  /** Sent too, to every host on the way: nothing secret. */
  readonly headers?: Readonly<Record<string, string>>
  readonly times?: Times
}

/** An answer that was found, behind all redirects. */
export interface Answer {
  /** 304 only where the question's headers ask for it. */
  readonly status: 200 | 304
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  /** Has to be read to its end or destroyed. */
  readonly body: IncomingMessage
}

const MOST_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * Gets a url by the rules of the security page, "http": https only (http to this machine where it is allowed), at most 5
 * redirects and never to http, each host judged before it is contacted, credentials for the first host only, 200 only.
 *
 * @throws GsdError FETCH_NETWORK, FETCH_TIMEOUT, FETCH_REDIRECT, FETCH_AUTH, FETCH_NOT_FOUND, FETCH_HTTP, POLICY_*,
 *   INTERRUPTED
 */
export const ask = async (question: Question, context: FetchContext): Promise<Answer> => {
  const first = new URL(question.url)
  checkScheme(first, context)
  const authorization = authorizationFor(first, context)
  let url = first
  for (let redirects = 0; ; redirects++) {
    context.allow?.({ kind: 'host', host: url.hostname, catalog: context.catalog })
    const body = await answerOf(url, context, {
      times: question.times ?? TIMES,
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
    if (!REDIRECTS.includes(status))
      throw statusFault(status, url, { auth: authorization.hint, wait: headers['retry-after'] })
    if (redirects === MOST_REDIRECTS) {
      throw redirectFault(first, `is redirected more than ${MOST_REDIRECTS} times`, 'check the address in a browser')
    }
    url = nextUrl(url, headers.location)
  }
}

const answerOf = async (
  url: URL,
  { signal, env }: FetchContext,
  { times, headers }: { readonly times: Times; readonly headers: Readonly<Record<string, string>> },
): Promise<IncomingMessage> => {
  try {
    return await openHop({ url, headers, times, signal, proxy: proxyFor(url, env) })
  } catch (error) {
    throw signal.aborted ? interrupted() : networkFault(error, url)
  }
}

const checkScheme = (url: URL, { allowHttp }: FetchContext): void => {
  if (url.protocol === 'https:' || (allowHttp && plainHere(url))) return
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
    throw redirectFault(from, 'is redirected to nowhere', 'check the address in a browser')
  }
  next.username = ''
  next.password = ''
  next.hash = ''
  if (next.protocol === 'https:' || (plainHere(from) && plainHere(next))) return next
  throw redirectFault(
    from,
    `is redirected to ${quote(next.href)}, which is not https`,
    'ask for an address that stays encrypted',
  )
}

const plainHere = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url.hostname)

const redirectFault = (url: URL, what: string, hint: string): GsdError =>
  new GsdError('FETCH_REDIRECT', `${quote(url.href)} ${what}`, { hint })
