import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from './connect.ts'
import { TimedOut } from './http-fault.ts'
import type { Times } from './times.ts'

export interface Hop {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly proxy: URL | null
  readonly times: Times
  /** The user's; its end ends everything. */
  readonly signal: AbortSignal
}

/** One request and the head of its answer; no redirect is followed. The answer's body has to be read or destroyed. */
export const openHop = async (hop: Hop): Promise<IncomingMessage> => {
  const socket = await connectInTime(hop)
  const { url, headers, signal, times } = hop
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
    socket.setTimeout(times.idle, () =>
      (answer ?? asking).destroy(new TimedOut('the server stopped answering', times.idle)),
    )
    asking.once('error', reject)
    // A server that changes the protocol, or ends behind a first word, gives neither an answer nor an error.
    asking.once('close', () => reject(new Error('the server gave no answer')))
    asking.once('response', (response) => resolve((answer = response)))
    asking.end()
    if (signal.aborted) stop()
  })
}

const connectInTime = async ({ url, proxy, times, signal }: Hop): Promise<Socket> => {
  const late = AbortSignal.timeout(times.connect)
  try {
    return await connect(url, { proxy, signal: AbortSignal.any([signal, late]) })
  } catch (error) {
    if (late.aborted && !signal.aborted) throw new TimedOut('no connection was made', times.connect)
    throw error
  }
}
