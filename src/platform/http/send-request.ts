import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { proxyError, TimedOut } from './http-error.ts'

export interface SingleRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly proxy: URL | null
  readonly timeouts: Timeouts
  /** Aborts the request and its response. */
  readonly signal: AbortSignal
  /** Sent by POST. Default: a GET without a body. */
  readonly body?: string
}

/** Sends one request and follows no redirect. The body of the response must be read or destroyed. */
export const sendRequest = async (options: SingleRequest): Promise<IncomingMessage> => {
  const socket = await connectWithTimeout(options)
  const { url, headers, signal, timeouts, body } = options
  const stop = (): void => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', stop, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', stop))
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method: body === undefined ? 'GET' : 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, connection: 'close', ...headers },
    })
    let answer: IncomingMessage | null = null
    // Destroying the response, where there is one, tells its reader the reason.
    socket.setTimeout(timeouts.idle, () =>
      (answer ?? outgoing).destroy(new TimedOut('the server stopped answering', timeouts.idle)),
    )
    // Headers may drip, too.
    const late = setTimeout(
      () => outgoing.destroy(new TimedOut('the server did not respond', timeouts.total)),
      timeouts.total,
    )
    outgoing.once('close', () => clearTimeout(late))
    outgoing.once('response', () => clearTimeout(late))
    outgoing.once('error', reject)
    // A server that switches protocols or closes early causes neither a response nor an error.
    outgoing.once('close', () => reject(new Error('the server did not respond')))
    outgoing.once('response', (response) => resolve((answer = response)))
    outgoing.end(body)
    if (signal.aborted) stop()
  })
}

const connectWithTimeout = async ({ url, proxy, timeouts, signal }: SingleRequest): Promise<Socket> => {
  const late = AbortSignal.timeout(timeouts.connect)
  try {
    return await connect(url, { proxy, signal: AbortSignal.any([signal, late]) })
  } catch (error) {
    if (late.aborted && !signal.aborted) throw new TimedOut('no connection was made', timeouts.connect)
    throw error
  }
}

/** In milliseconds. */
export interface Timeouts {
  /** For name lookup, connection, TLS and proxy. */
  readonly connect: number
  /** For the first and each next chunk of a response. */
  readonly idle: number
  /** For everything: redirects, headers and the whole response. */
  readonly total: number
}

/** The time limits of a download that may take so many milliseconds in all. */
export const timeoutsOf = (total: number): Timeouts => ({
  connect: Math.min(15_000, total),
  idle: Math.min(20_000, total),
  total,
})

export interface ConnectOptions {
  readonly proxy: URL | null
  /** Aborts the attempt, which throws its reason. */
  readonly signal: AbortSignal
}

/** A connected socket to the host of an http or https url, with TLS for https. */
export const connect = async (url: URL, { proxy, signal }: ConnectOptions): Promise<Socket> => {
  if (proxy === null) return openSocket(url, signal)
  const tunnel = await openTunnel(url, proxy, signal)
  return waitForSocket(connectTls({ ...tlsOptions(url), socket: tunnel }), 'secureConnect', signal)
}

const openSocket = (url: URL, signal: AbortSignal): Promise<Socket> =>
  url.protocol === 'https:'
    ? waitForSocket(connectTls({ ...tlsOptions(url), port: portOf(url) }), 'secureConnect', signal)
    : waitForSocket(connectTcp({ host: bareHost(url), port: portOf(url) }), 'connect', signal)

/** An IP address is checked against the certificate too, but not sent as a server name. */
const tlsOptions = (url: URL) => ({
  host: bareHost(url),
  ALPNProtocols: ['http/1.1'],
  ...(isIP(bareHost(url)) === 0 ? { servername: bareHost(url) } : {}),
})

/** Opens a tunnel through a proxy; its traffic is encrypted end to end. */
const openTunnel = async (url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> => {
  const socket = await openSocket(proxy, signal).catch((error: unknown) => {
    throw proxyError(error, proxy, signal)
  })
  const target = `${url.hostname}:${portOf(url)}`
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyAuthorization(proxy) },
    })
    const stop = (): void => void outgoing.destroy(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
    const stopListening = (): void => signal.removeEventListener('abort', stop)
    outgoing.once('error', (error) => (stopListening(), reject(error)))
    outgoing.once('close', () => (stopListening(), reject(new Error('the proxy did not respond'))))
    outgoing.once('response', () => (stopListening(), reject(new Error('the proxy did not open a tunnel'))))
    outgoing.once('connect', ({ statusCode = 0 }, line) => {
      stopListening()
      if (statusCode === 200) return resolve(line)
      line.destroy()
      reject(proxyRefused(proxy, statusCode))
    })
    outgoing.end()
  })
}

const proxyAuthorization = ({ username, password }: URL): Record<string, string> => {
  if (username === '') return {}
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` }
}

const proxyRefused = (proxy: URL, status: number): GsdError =>
  status === 407
    ? new GsdError('FETCH_AUTH', `the proxy ${quote(proxy.host)} requires credentials`, {
        hint: 'set HTTPS_PROXY to http://<user>:<password>@<host>:<port>',
      })
    : new GsdError('FETCH_NETWORK', `the proxy ${quote(proxy.host)} refused the connection with status ${status}`, {
        hint: 'check HTTPS_PROXY and NO_PROXY',
      })

const waitForSocket = (socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const stop = (): void => void socket.destroy(signal.reason as Error)
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', stop)
      reject(error)
    }
    const closed = (): void => fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }))
    socket.once('error', fail)
    socket.once('close', closed)
    socket.once(event, () => {
      signal.removeEventListener('abort', stop)
      socket.removeListener('error', fail)
      socket.removeListener('close', closed)
      resolve(socket)
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')
