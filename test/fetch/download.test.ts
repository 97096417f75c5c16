import { createHash, createPrivateKey } from 'node:crypto'
import * as fs from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { download } from '../../src/fetch/download.ts'
import { makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { failureOf, useFetchFixture } from '../helpers/fetch-fixture.ts'
import { startHttpServer, startHttpsServer, startProxy, type TestServer } from '../helpers/servers.ts'
import { MANIFEST_ENTRY, tgz } from '../helpers/tar.ts'
import { trustedCertificate } from '../helpers/test-authority.ts'

const room = useFetchFixture()
const open: TestServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((web) => web.close()))
})
const started = async (web: Promise<TestServer>): Promise<TestServer> => {
  open.push(await web)
  return web
}

const BYTES = tgz(MANIFEST_ENTRY)
const INTEGRITY = `sha512-${createHash('sha512').update(BYTES).digest('base64')}`
const serve = (_request: IncomingMessage, response: ServerResponse): void => void response.end(BYTES)
const to = (status: number, location: string) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { location }).end()
const archiveOf = ({ source }: { readonly source: { readonly kind: string } }): string => {
  if (!('file' in source)) throw new Error('no archive')
  return String(source.file)
}
const leftovers = (): string[] => {
  const folder = room.at('cache/artifacts/incoming')
  return fs.existsSync(folder) ? fs.readdirSync(folder) : []
}

describe('an archive from the web', () => {
  test('is cached byte for byte, whatever the query, and the ledger records no secret of it', async () => {
    const web = await started(startHttpsServer(serve))
    const fetched = await room.fetch(`${web.url}/o/r/releases/download/v1/x.tgz?v=2&token=s3cr3t`)
    expect(fetched).toMatchObject({
      path: null,
      resolved: { kind: 'tarball', url: `${web.url}/o/r/releases/download/v1/x.tgz?v=2` },
      statedIntegrities: [],
      notes: [],
    })
    expect(fs.readFileSync(archiveOf(fetched))).toEqual(BYTES)
    expect(web.requests.map(({ url }) => url)).toEqual(['/o/r/releases/download/v1/x.tgz?v=2&token=s3cr3t'])
    expect(leftovers()).toEqual([])
  })

  test('comes from the cache when its integrity is known, and is downloaded again when it is not', async () => {
    const web = await started(startHttpsServer(serve))
    const url = `${web.url}/x.tgz`
    await room.fetch(url)
    await room.fetch(url)
    expect(web.requests).toHaveLength(2)
    await room.fetch(url, { expectedIntegrity: INTEGRITY })
    expect(web.requests).toHaveLength(2)
  })

  test('that is damaged in the cache is downloaded again', async () => {
    const web = await started(startHttpsServer(serve))
    const file = archiveOf(await room.fetch(`${web.url}/x.tgz`))
    fs.appendFileSync(file, 'x')
    expect(fs.readFileSync(archiveOf(await room.fetch(`${web.url}/x.tgz`, { expectedIntegrity: INTEGRITY })))).toEqual(
      BYTES,
    )
    expect(web.requests).toHaveLength(2)
  })

  test('comes from the cache offline when pinned, and is refused with the way to pin it when not', async () => {
    const web = await started(startHttpsServer(serve))
    const url = `${web.url}/x.tgz`
    const never = await room.failure(url, { offline: true })
    expect([never.code, never.exitStatus]).toEqual(['FETCH_OFFLINE', 5])
    expect(await room.failure(url, { offline: true, expectedIntegrity: INTEGRITY })).toMatchObject({
      code: 'FETCH_OFFLINE',
    })
    await room.fetch(url)
    expect((await room.failure(url, { offline: true })).hint).toContain('add --integrity')
    expect(fs.readFileSync(archiveOf(await room.fetch(url, { offline: true, expectedIntegrity: INTEGRITY })))).toEqual(
      BYTES,
    )
    expect(web.requests).toHaveLength(1)
  })

  test('reports its progress, with the total size when the server states it', async () => {
    const web = await started(
      startHttpsServer((_request, response) => void response.setHeader('content-length', BYTES.length).end(BYTES)),
    )
    await room.fetch(`${web.url}/x.tgz`)
    expect(room.reports).toContainEqual(expect.objectContaining({ kind: 'progress', total: BYTES.length }))
  })

  test('over plain http needs this machine and --allow-http', async () => {
    const web = await started(startHttpServer(serve))
    const fetched = await room.fetch(`${web.url}/x.tgz`, { allowHttp: true })
    expect(fs.readFileSync(archiveOf(fetched))).toEqual(BYTES)
    await expect(async () => room.fetch(`${web.url}/x.tgz`)).rejects.toMatchObject({ code: 'SPEC_REFUSED' })
  })
})

describe('redirects', () => {
  test('are followed up to five times, relative ones too', async () => {
    const web = await started(
      startHttpsServer((request, response) => {
        const left = Number(/(\d+)\.tgz/.exec(request.url ?? '')?.[1])
        if (left === 0) return serve(request, response)
        return to([301, 302, 303, 307, 308][left % 5] ?? 302, `./${left - 1}.tgz?q#part`)(request, response)
      }),
    )
    await room.fetch(`${web.url}/5.tgz`)
    expect(await room.failure(`${web.url}/6.tgz`)).toMatchObject({ code: 'FETCH_REDIRECT', exitStatus: 5 })
    expect(await room.failure(`${web.url}/99.tgz`)).toMatchObject({
      message: expect.stringContaining('more than 5 times'),
    })
  })

  test('to plain http are refused, even to this machine and with --allow-http', async () => {
    const plain = await started(startHttpServer(serve))
    for (const target of [
      `${plain.url}/x.tgz`,
      'http://dl.example.org/x.tgz',
      'file:///etc/passwd',
      'ftp://localhost/x.tgz',
    ]) {
      const web = await started(startHttpsServer(to(302, target)))
      const error = await room.failure(`${web.url}/x.tgz`, { allowHttp: true })
      expect([error.code, target]).toEqual(['FETCH_REDIRECT', target])
    }
    expect(plain.requests).toEqual([])
  })

  test('from plain http of this machine never lead to plain http elsewhere', async () => {
    const web = await started(startHttpServer(to(302, 'http://192.0.2.1/x.tgz')))
    expect(await room.failure(`${web.url}/x.tgz`, { allowHttp: true })).toMatchObject({ code: 'FETCH_REDIRECT' })
  })

  test('without a valid target are refused', async () => {
    for (const location of ['', 'https://', 'http://[::1']) {
      const web = await started(startHttpsServer(to(301, location)))
      expect(await room.failure(`${web.url}/x.tgz`), location).toMatchObject({ code: 'FETCH_REDIRECT' })
    }
    const web = await started(startHttpsServer((_request, response) => void response.writeHead(302).end()))
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({ code: 'FETCH_REDIRECT' })
  })

  test('never carry a signed query or credentials into a message', async () => {
    const web = await started(startHttpsServer(to(302, 'http://user:pw@dl.example.org/x.tgz?X-Amz-Signature=s3cr3t')))
    const { message, hint } = await room.failure(`${web.url}/x.tgz?token=t0k3n`)
    expect(`${message} ${hint}`).not.toMatch(/s3cr3t|t0k3n|pw@/)
    expect(message).toContain('dl.example.org')
  })

  test('are checked one by one, before the host is contacted', async () => {
    const other = await started(startHttpsServer(serve))
    const web = await started(startHttpsServer(to(302, `https://127.0.0.1:${other.port}/x.tgz`)))
    const judged: string[] = []
    const refusing = (host: string) => (contact: { readonly kind: string; readonly host?: string }) => {
      judged.push(contact.host ?? '')
      if (contact.host === host) throw new GsdError('POLICY_REFUSED', 'no')
    }
    expect(await room.failure(`${web.url}/x.tgz`, { checkPolicy: refusing('127.0.0.1') })).toMatchObject({
      code: 'POLICY_REFUSED',
    })
    expect(other.requests).toEqual([])
    expect(judged).toContain('localhost')
    expect(await room.failure(`${web.url}/x.tgz`, { checkPolicy: refusing('localhost') })).toMatchObject({
      code: 'POLICY_REFUSED',
    })
    expect(web.requests).toHaveLength(1)
  })

  test('do not let the cache serve a host that policy refuses', async () => {
    const web = await started(startHttpsServer(serve))
    await room.fetch(`${web.url}/x.tgz`)
    const checkPolicy = (): never => {
      throw new GsdError('POLICY_REFUSED', 'no')
    }
    expect(await room.failure(`${web.url}/x.tgz`, { checkPolicy, expectedIntegrity: INTEGRITY })).toMatchObject({
      code: 'POLICY_REFUSED',
    })
  })
})

describe('credentials of the user’s configuration', () => {
  const guarded = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.authorization === 'Bearer s3cr3t') serve(request, response)
    else response.writeHead(401).end()
  }

  test('authenticate to a private host, as a header, as a header in a variable, or as a token in one', async () => {
    const web = await started(startHttpsServer(guarded))
    const url = `${web.url}/x.tgz`
    await room.fetch(url, { auth: { localhost: { kind: 'header', header: 'Authorization: Bearer s3cr3t' } } })
    const auth = { localhost: { kind: 'env', variable: 'MY_TOKEN' } } as const
    await room.fetch(url, { auth, env: { MY_TOKEN: 'Authorization: Bearer s3cr3t' } })
    await room.fetch(url, { auth, env: { MY_TOKEN: ' s3cr3t\n' } })
  })

  test('may be for one port of a host, and then precede those for all ports', async () => {
    const web = await started(startHttpsServer(guarded))
    const header = (token: string) => ({ kind: 'header', header: `Authorization: Bearer ${token}` }) as const
    const auth = { [`localhost:${web.port}`]: header('s3cr3t'), localhost: header('other') }
    await room.fetch(`${web.url}/x.tgz`, { auth })
    expect(await room.failure(`${web.url}/x.tgz`, { auth: { 'localhost:1': header('s3cr3t') } })).toMatchObject({
      code: 'FETCH_AUTH',
    })
  })

  test('that are missing, wrong or unset each have their hint', async () => {
    const web = await started(startHttpsServer(guarded))
    const url = `${web.url}/x.tgz`
    const none = await room.failure(url)
    expect([none.code, none.exitStatus]).toEqual(['FETCH_AUTH', 5])
    expect(none.hint).toContain('"auth": {"localhost"')
    const auth = { localhost: { kind: 'env', variable: 'MY_TOKEN' } } as const
    expect((await room.failure(url, { auth })).hint).toContain('set $MY_TOKEN')
    const wrong = await room.failure(url, { auth, env: { MY_TOKEN: 'wr0ng' } })
    expect(wrong.hint).toContain('check $MY_TOKEN')
    expect(JSON.stringify(wrong)).not.toContain('wr0ng')
  })

  test('are not sent to another host, nor to another port of the same', async () => {
    const other = await started(startHttpsServer(serve))
    for (const host of ['127.0.0.1', 'localhost']) {
      const web = await started(startHttpsServer(to(302, `https://${host}:${other.port}/x.tgz`)))
      const auth = { localhost: { kind: 'header', header: 'Authorization: Bearer s3cr3t' } } as const
      await room.fetch(`${web.url}/x.tgz`, { auth })
      expect(web.requests[0]?.headers.authorization).toBe('Bearer s3cr3t')
    }
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
  })

  test('are sent again within the host', async () => {
    const web = await started(
      startHttpsServer((request, response) =>
        request.url === '/x.tgz' ? to(302, '/y.tgz')(request, response) : guarded(request, response),
      ),
    )
    await room.fetch(`${web.url}/x.tgz`, { auth: { localhost: { kind: 'env', variable: 'T' } }, env: { T: 's3cr3t' } })
  })
})

describe('a proxy of the environment', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('%s is used, through an encrypted tunnel', async (name) => {
    const [web, proxy] = [await started(startHttpsServer(serve)), await started(startProxy())]
    await room.fetch(`${web.url}/x.tgz`, { env: { [name]: `http://me:pass@127.0.0.1:${proxy.port}` } })
    expect(proxy.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([`CONNECT localhost:${web.port}`])
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(`Basic ${Buffer.from('me:pass').toString('base64')}`)
    expect(web.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('is skipped for the hosts of NO_PROXY', async () => {
    const [web, proxy] = [await started(startHttpsServer(serve)), await started(startProxy())]
    await room.fetch(`${web.url}/x.tgz`, {
      env: { HTTPS_PROXY: `127.0.0.1:${proxy.port}`, NO_PROXY: 'example.org, localhost' },
    })
    expect(proxy.requests).toEqual([])
    await room.fetch(`${web.url}/x.tgz`, { env: { HTTPS_PROXY: `127.0.0.1:${proxy.port}`, NO_PROXY: 'example.org' } })
    expect(proxy.requests).toHaveLength(1)
  })

  test('that refuses, requires credentials or is not a proxy is named as the cause', async () => {
    const web = await started(startHttpsServer(serve))
    const refusing = await started(startProxy(() => 403))
    const wanting = await started(startProxy(() => 407))
    const through = (proxy: string) => room.failure(`${web.url}/x.tgz`, { env: { HTTPS_PROXY: proxy } })
    expect(await through(refusing.url)).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining('status 403'),
    })
    expect(await through(wanting.url)).toMatchObject({ code: 'FETCH_AUTH', message: expect.stringContaining('proxy') })
    expect(await through('socks5://127.0.0.1:1')).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining('proxy'),
    })
    for (const proxy of ['http://127.0.0.1:1', 'http://no-such-proxy.invalid:3128'])
      expect(await through(proxy)).toMatchObject({
        code: 'FETCH_NETWORK',
        message: expect.stringContaining('the proxy'),
        hint: 'check HTTPS_PROXY and NO_PROXY',
      })
    expect(web.requests).toEqual([])
  })
})

describe('a server that', () => {
  const TIMES = { connect: 2000, idle: 200, total: 1000 }
  const slow = (url: string) => failureOf(download({ url, timeouts: TIMES }, 1_000_000, room.context()))

  test.each([
    [404, 'FETCH_NOT_FOUND'],
    [410, 'FETCH_NOT_FOUND'],
    [403, 'FETCH_AUTH'],
    [500, 'FETCH_HTTP'],
    [204, 'FETCH_HTTP'],
    [206, 'FETCH_HTTP'],
    [304, 'FETCH_HTTP'],
    [429, 'FETCH_HTTP'],
  ])('answers %i is refused as %s', async (status, code) => {
    const web = await started(startHttpsServer((_request, response) => void response.writeHead(status).end()))
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({ code, exitStatus: 5, details: { status } })
  })

  test('serves a login page with 200 is detected at the first bytes', async () => {
    const web = await started(
      startHttpsServer((_request, response) => void response.end('<!DOCTYPE html><title>Sign in</title>')),
    )
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({
      code: 'ARCHIVE_NOT_GZIP',
      exitStatus: 3,
      message: expect.stringContaining('login'),
    })
    expect(leftovers()).toEqual([])
  })

  test('stalls before or during its answer ends in a time-out', async () => {
    const silent = await started(startHttpsServer(() => {}))
    expect(await slow(`${silent.url}/x.tgz`)).toMatchObject({ code: 'FETCH_TIMEOUT' })
    const half = await started(startHttpsServer((_request, response) => void response.write(BYTES.subarray(0, 20))))
    expect(await slow(`${half.url}/x.tgz`)).toMatchObject({ code: 'FETCH_TIMEOUT' })
    expect(leftovers()).toEqual([])
  })

  test('never ends, one byte at a time, ends in a time-out too', async () => {
    const web = await started(
      startHttpsServer((_request, response) => {
        const timer = setInterval(() => response.write('\u001f'), 50)
        response.once('close', () => clearInterval(timer))
      }),
    )
    expect(await slow(`${web.url}/x.tgz`)).toMatchObject({ code: 'FETCH_TIMEOUT' })
  })

  test('drips its headers, or is slow at each redirect, ends in a time-out of the whole', async () => {
    const { createServer } = await import('node:tls')
    const drip = createServer(trustedCertificate(['localhost']), (socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x: y\r\n'), 50)
      socket.once('close', () => clearInterval(timer))
    })
    await new Promise<void>((resolve) => drip.listen(0, '127.0.0.1', resolve))
    const { port } = drip.address() as { port: number }
    expect(await slow(`https://localhost:${port}/x.tgz`)).toMatchObject({ code: 'FETCH_TIMEOUT' })
    drip.close()
    const web = await started(
      startHttpsServer((request, response) => void setTimeout(() => to(302, '/again.tgz')(request, response), 150)),
    )
    const error = await failureOf(
      download({ url: `${web.url}/x.tgz`, timeouts: { connect: 2000, idle: 2000, total: 400 } }, 1000, room.context()),
    )
    expect(error).toMatchObject({ code: 'FETCH_TIMEOUT', hint: expect.stringContaining('--timeout <seconds>') })
  })

  test('takes longer than --timeout, however steadily it sends, is given up', async () => {
    const web = await started(
      startHttpsServer((_request, response) => {
        response.write(BYTES.subarray(0, 20))
        const timer = setInterval(() => response.write('x'), 20)
        response.once('close', () => clearInterval(timer))
      }),
    )
    const catalogs = { team: `${web.url}/c.json` }
    for (const spec of [`${web.url}/x.tgz`, 'x@team', `git+${web.url}/x.git`])
      expect(await room.failure(spec, { fetchTimeout: 700, catalogs }), spec).toMatchObject({
        code: 'FETCH_TIMEOUT',
        exitStatus: 5,
      })
    expect(leftovers()).toEqual([])
  })

  test('accepts and stays silent ends in a time-out', async () => {
    const { createServer } = await import('node:net')
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(
      await failureOf(
        download(
          { url: `https://127.0.0.1:${port}/x.tgz`, timeouts: { ...TIMES, connect: 200 } },
          1000,
          room.context(),
        ),
      ),
    ).toMatchObject({
      code: 'FETCH_TIMEOUT',
    })
    server.close()
  })

  test('cuts off a download is reported with the bytes received', async () => {
    const web = await started(
      startHttpsServer((_request, response) => {
        response.writeHead(200, { 'content-length': String(BYTES.length) })
        response.write(BYTES.subarray(0, 30), () => response.destroy())
      }),
    )
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining(`cut off after 30 of ${BYTES.length} bytes`),
    })
    expect(leftovers()).toEqual([])
  })

  test('cuts off a chunked transfer is not treated as complete', async () => {
    const web = await started(
      startHttpsServer((_request, response) => void response.write(BYTES, () => response.destroy())),
    )
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({ code: 'FETCH_NETWORK' })
  })

  test('states or sends more than the limit of an archive is cut off', async () => {
    const limit = 1000
    const stating = await started(
      startHttpsServer((_request, response) => void response.writeHead(200, { 'content-length': '1001' }).write('x')),
    )
    const sent = await started(
      startHttpsServer((_request, response) => {
        const timer = setInterval(() => response.write(Buffer.concat([BYTES, Buffer.alloc(900)])), 5)
        response.once('close', () => clearInterval(timer))
      }),
    )
    for (const web of [stating, sent]) {
      expect(await failureOf(download({ url: `${web.url}/x.tgz` }, limit, room.context()))).toMatchObject({
        code: 'ARCHIVE_TOO_LARGE',
        exitStatus: 3,
      })
    }
    expect(leftovers()).toEqual([])
  })

  test("declares the archive's own compression as content encoding has its bytes kept unchanged", async () => {
    const web = await started(
      startHttpsServer((_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BYTES)),
    )
    expect(fs.readFileSync(archiveOf(await room.fetch(`${web.url}/x.tgz`)))).toEqual(BYTES)
  })

  test('does not speak http is refused', async () => {
    const { createServer } = await import('node:tls')
    const server = createServer(trustedCertificate(['localhost']), (socket) => socket.end('SSH-2.0-OpenSSH_9\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(await room.failure(`https://localhost:${port}/x.tgz`)).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining('does not speak http'),
    })
    server.close()
  })

  test('switches to another protocol counts as no response', async () => {
    const web = await started(
      startHttpsServer((request) =>
        request.socket.end('HTTP/1.1 101 Other\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      ),
    )
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining('did not respond'),
    })
  })

  test.each([
    ['7', 'in 7 s'],
    ['Fri, 31 Dec 2027 23:59:59 GMT', 'after 2027-12-31T23:59:59.000Z'],
    ['soon', 'try again later'],
  ])('sends Retry-After (%s) has it in the hint', async (wait, words) => {
    const web = await started(
      startHttpsServer((_request, response) => void response.writeHead(503, { 'retry-after': wait }).end()),
    )
    expect((await room.failure(`${web.url}/x.tgz`)).hint).toContain(words)
  })

  test('answers with JSON instead of the file causes a hint to open the url in a browser', async () => {
    const web = await started(
      startHttpsServer((_request, response) => void response.end('{"message":"Bad credentials"}')),
    )
    expect(await room.failure(`${web.url}/x.tgz`)).toMatchObject({
      code: 'ARCHIVE_NOT_GZIP',
      hint: expect.stringContaining('browser'),
    })
  })

  test('has a certificate of an unknown authority, of another host, or that expired is refused, each with its cause', async () => {
    const unknownAuthority = makeAuthority('stranger')
    const key = createPrivateKey(unknownAuthority.key)
    const unknown = await started(startHttpsServer(serve, makeCertificate({ name: 'stranger', key }, ['localhost'])))
    const other = await started(startHttpsServer(serve, trustedCertificate(['other.example.org'])))
    const old = await started(startHttpsServer(serve, trustedCertificate(['localhost'], true)))
    expect(await room.failure(`${unknown.url}/x.tgz`)).toMatchObject({
      code: 'FETCH_NETWORK',
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    })
    expect(await room.failure(`${other.url}/x.tgz`)).toMatchObject({ message: expect.stringContaining('another host') })
    expect(await room.failure(`${old.url}/x.tgz`)).toMatchObject({ message: expect.stringContaining('expired') })
  })

  test('does not exist is distinguished from one that refuses', async () => {
    expect(await room.failure('https://127.0.0.1:1/x.tgz')).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining('nothing listens'),
    })
    expect(await room.failure('https://no-such-host.invalid/x.tgz')).toMatchObject({
      code: 'FETCH_NETWORK',
      message: expect.stringContaining('cannot be resolved'),
    })
  })
})

test('Ctrl-C ends a download at once and leaves nothing behind', async () => {
  const controller = new AbortController()
  const web = await started(
    startHttpsServer((_request, response) => {
      response.write(BYTES.subarray(0, 20))
      setTimeout(() => controller.abort(), 50)
    }),
  )
  const error = await room.failure(`${web.url}/x.tgz`, { signal: controller.signal })
  expect([error.code, error.exitStatus]).toEqual(['INTERRUPTED', 130])
  expect(fs.existsSync(room.at('cache'))).toBe(false)
  expect(await room.failure(`${web.url}/x.tgz`, { signal: AbortSignal.abort() })).toMatchObject({ code: 'INTERRUPTED' })
})
