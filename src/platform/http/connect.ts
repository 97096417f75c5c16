import { request } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { proxyError } from './http-error.ts'

export interface ConnectOptions {
  readonly proxy: URL | null
  /** Ends the attempt; its reason is what is thrown. */
  readonly signal: AbortSignal
}

/** A socket to the host of an http or https url, encrypted where the url says so, ready to write to. */
export const connect = async (url: URL, { proxy, signal }: ConnectOptions): Promise<Socket> => {
  if (proxy === null) return openSocket(url, signal)
  const tunnel = await openTunnel(url, proxy, signal)
  return waitForSocket(connectTls({ ...tlsOptions(url), socket: tunnel }), 'secureConnect', signal)
}

const openSocket = (url: URL, signal: AbortSignal): Promise<Socket> =>
  url.protocol === 'https:'
    ? waitForSocket(connectTls({ ...tlsOptions(url), port: portOf(url) }), 'secureConnect', signal)
    : waitForSocket(connectTcp({ host: bareHost(url), port: portOf(url) }), 'connect', signal)

/** An address is checked against the certificate too, and never sent as a server name. */
const tlsOptions = (url: URL) => ({
  host: bareHost(url),
  ALPNProtocols: ['http/1.1'],
  ...(isIP(bareHost(url)) === 0 ? { servername: bareHost(url) } : {}),
})

/** Asks a proxy for a line to the host; what goes over it is encrypted end to end. */
const openTunnel = async (url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> => {
  const socket = await openSocket(proxy, signal).catch((error: unknown) => {
    throw proxyError(error, proxy, signal)
  })
  const target = `${url.hostname}:${portOf(url)}`
  return new Promise((resolve, reject) => {
    const asking = request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyAuthorization(proxy) },
    })
    const stop = (): void => void asking.destroy(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
    const settled = (): void => signal.removeEventListener('abort', stop)
    asking.once('error', (error) => (settled(), reject(error)))
    asking.once('close', () => (settled(), reject(new Error('the proxy gave no answer'))))
    asking.once('response', () => (settled(), reject(new Error('the proxy answered without a line'))))
    asking.once('connect', ({ statusCode = 0 }, line) => {
      settled()
      if (statusCode === 200) return resolve(line)
      line.destroy()
      reject(proxyRefused(proxy, statusCode))
    })
    asking.end()
  })
}

const proxyAuthorization = ({ username, password }: URL): Record<string, string> => {
  if (username === '') return {}
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` }
}

const proxyRefused = (proxy: URL, status: number): GsdError =>
  status === 407
    ? new GsdError('FETCH_AUTH', `the proxy ${quote(proxy.host)} wants credentials`, {
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
