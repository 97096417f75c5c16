import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from './connect.ts'
import { TimedOut } from './http-error.ts'

export interface SingleRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly proxy: URL | null
  readonly timeouts: Timeouts
  /** The user's; its end ends everything. */
  readonly signal: AbortSignal
}

/** One request and the head of its answer; no redirect is followed. The answer's body has to be read or destroyed. */
export const sendRequest = async (hop: SingleRequest): Promise<IncomingMessage> => {
  const socket = await connectWithTimeout(hop)
  const { url, headers, signal, timeouts } = hop
  const stop = (): void => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', stop, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', stop))
  return new Promise((resolve, reject) => {
    const asking = request({
      createConnection: () => socket,
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, connection: 'close', ...headers },
    })
    let answer: IncomingMessage | null = null
    // Whoever reads the answer has to hear the reason, so it is the answer that ends where there is one.
    socket.setTimeout(timeouts.idle, () =>
      (answer ?? asking).destroy(new TimedOut('the server stopped answering', timeouts.idle)),
    )
    asking.once('error', reject)
    // A server that changes the protocol, or ends behind a first word, gives neither an answer nor an error.
    asking.once('close', () => reject(new Error('the server gave no answer')))
    asking.once('response', (response) => resolve((answer = response)))
    asking.end()
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

/** Milliseconds that a fetch over http waits at most. */
export interface Timeouts {
  /** For the line: name, connection, encryption, proxy. */
  readonly connect: number
  /** Between two pieces of an answer, and for its first. */
  readonly idle: number
  /** For everything. */
  readonly total: number
}

export const DEFAULT_TIMEOUTS: Timeouts = { connect: 15_000, idle: 20_000, total: 30 * 60_000 }
