import { errnoOf, GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { unknownHostHint } from '../../spec/unknown-host-hint.ts'

/** A timeout of a request. */
export class TimedOut extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} within ${milliseconds / 1000} s`)
    this.name = 'TimedOut'
  }
}

/** Converts an error below http into a GsdError. */
export const networkError = (error: unknown, url: URL): GsdError => {
  if (error instanceof GsdError) return error
  const named = quote(`${url.origin}${url.pathname}`)
  if (error instanceof TimedOut) {
    return new GsdError('FETCH_TIMEOUT', `${named}: ${error.message}`, {
      hint: 'try again; --timeout <seconds> allows a slow download more; behind a proxy set HTTPS_PROXY',
      cause: error,
    })
  }
  const errno = errnoOf(error) ?? ''
  const { text, hint } = reasonOf(errno, url)
  return new GsdError('FETCH_NETWORK', `${named} cannot be reached: ${text ?? messageOf(error)}`, {
    hint,
    cause: error,
  })
}

/** `Retry-After` is a number of seconds or a date. Anything else is ignored. */
const retryHint = (wait: string | undefined): string => {
  if (wait === undefined) return 'try again later'
  if (/^\d{1,6}$/.test(wait)) return `try again in ${wait} s, as the server asks`
  const date = Date.parse(wait)
  return Number.isNaN(date) ? 'try again later' : `try again after ${new Date(date).toISOString()}, as the server asks`
}

/** The same for the proxy; the error of an aborted attempt is returned unchanged. */
export const proxyError = (error: unknown, proxy: URL, signal: AbortSignal): unknown => {
  if (signal.aborted || error instanceof GsdError) return error
  const { text } = reasonOf(errnoOf(error) ?? '', proxy)
  return new GsdError(
    'FETCH_NETWORK',
    `the proxy ${quote(proxy.host)} cannot be reached: ${text ?? messageOf(error)}`,
    { hint: 'check HTTPS_PROXY and NO_PROXY', cause: error },
  )
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface Reason {
  /** Null: the message of the system. */
  readonly text: string | null
  readonly hint: string
}

const reasonOf = (errno: string, url: URL): Reason => {
  if (errno === 'ENOTFOUND' || errno === 'EAI_AGAIN')
    return { text: 'its host name cannot be resolved', hint: unknownHostHint(url.hostname) }
  const reason = REASONS.get(errno)
  if (reason !== undefined) return reason
  if (errno.startsWith('HPE_')) return NOT_HTTP
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(errno)) return UNTRUSTED
  return { text: null, hint: 'try again; behind a proxy set HTTPS_PROXY' }
}

const RESET: Reason = { text: 'the connection was cut off', hint: 'try again' }
const NOT_HTTP: Reason = { text: 'the server does not speak http', hint: 'check host and port' }
const UNTRUSTED: Reason = {
  text: 'its certificate is not trusted',
  hint: 'if your organisation has its own certificate authority, set NODE_EXTRA_CA_CERTS to its file',
}

const REASONS: ReadonlyMap<string, Reason> = new Map([
  ['ECONNREFUSED', { text: 'nothing listens there', hint: 'check host and port; behind a proxy set HTTPS_PROXY' }],
  ['ECONNRESET', RESET],
  ['EPIPE', RESET],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { text: 'its certificate is for another host', hint: 'check the host' }],
  ['CERT_HAS_EXPIRED', { text: 'its certificate has expired', hint: 'tell whoever runs it, or check your clock' }],
  ['ENETUNREACH', { text: 'there is no route to it', hint: 'check your network' }],
  ['EHOSTUNREACH', { text: 'there is no route to it', hint: 'check your network' }],
])

/** What hints are made of. */
interface StatusHints {
  /** What the user can do about credentials for this host. */
  readonly authHint: string
  /** Its `Retry-After`. */
  readonly retryAfter: string | undefined
}

/** The error for an unexpected status. */
export const statusError = (status: number, url: URL, { authHint, retryAfter }: StatusHints): GsdError => {
  const named = quote(url.href)
  const details = { status }
  if (status === 401 || status === 403) {
    return new GsdError('FETCH_AUTH', `${named} needs credentials: the server answered ${status}`, {
      hint: authHint,
      details,
    })
  }
  if (status === 404 || status === 410) {
    return new GsdError('FETCH_NOT_FOUND', `${named} does not exist: the server answered ${status}`, {
      hint: `check the address; if it is private, ${authHint}`,
      details,
    })
  }
  const later = status === 429 || status >= 500
  return new GsdError('FETCH_HTTP', `${named}: the server answered ${status}, expected 200`, {
    hint: later ? retryHint(retryAfter) : 'check the address in a browser',
    details,
  })
}
