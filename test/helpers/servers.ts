import { createServer as createPlain, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { trustedCertificate } from './test-authority.ts'

/** A server on loopback that a test started. */
export interface TestServer {
  /** `https://localhost:<port>`; no slash at the end. */
  readonly url: string
  readonly port: number
  /** The requests, in order: method, path and headers. */
  readonly requests: readonly IncomingMessage[]
  close(): Promise<void>
}

/** An https server whose certificate is valid for `localhost` and `127.0.0.1`. */
export const startHttpsServer = (listener: RequestListener, options: ServerOptions = {}): Promise<TestServer> =>
  listen('https', (counting) =>
    createServer({ ...trustedCertificate(['localhost', '127.0.0.1']), ...options }, counting(listener)),
  )

/** The same without encryption. */
export const startHttpServer = (listener: RequestListener): Promise<TestServer> =>
  listen('http', (counting) => createPlain(counting(listener)))

/**
 * An http proxy that opens tunnels by CONNECT; `asked` contains the CONNECTs. `allow` may refuse one by its status.
 * With `to`, every tunnel ends at that port, whatever host was requested.
 */
export const startProxy = (
  allow: (request: IncomingMessage) => number = () => 200,
  to: number | null = null,
): Promise<TestServer> =>
  listen('http', (counting) => {
    const count = counting(() => {})
    const server = createPlain((_request, response) => response.writeHead(400).end())
    server.on('connect', (request: IncomingMessage, client: Socket) => {
      count(request, null as never)
      const status = allow(request)
      if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      const line = connect(to ?? Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(line).pipe(client)
      })
      line.on('error', () => client.destroy())
      client.on('error', () => line.destroy())
    })
    return server
  })

const listen = async (
  scheme: string,
  make: (counting: (listener: RequestListener) => RequestListener) => Server,
): Promise<TestServer> => {
  const requests: IncomingMessage[] = []
  const server = make((listener) => (request, response) => {
    requests.push(request)
    return listener(request, response)
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://localhost:${port}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
