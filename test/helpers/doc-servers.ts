import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { ROOT } from './doc-page.ts'
import { gitBackend } from './git.ts'
import { startProxy, startHttpsServer } from './servers.ts'
import { tgz, type TarEntry } from './tar.ts'
import { authorityFile, trustedCertificate } from './test-authority.ts'

/** The network of one page: hosts below `example.org`, behind a proxy as in many companies. */
export interface DocServers {
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** The credentials of a private host of the pages. */
const SECRET = 'Bearer s3cret'

/**
 * Starts it. `downloads.example.org` serves `~/www`, `git.example.org` the repositories in `~/repos` (and accepts
 * pushes), `npm.example.org` is a registry that accepts packages too; `private.example.org` and
 * `npm.acme.example.org` serve the same to clients with the token.
 */
export const startDocServers = async (home: string): Promise<DocServers> => {
  const files = serveFiles(join(home, 'www'))
  const git = gitBackend(join(home, 'repos'), { config: { 'http.receivepack': 'true' } })
  const hosts: Readonly<Record<string, RequestListener>> = {
    'downloads.example.org': files,
    'git.example.org': git,
    'npm.example.org': registry('https://npm.example.org', { 'hello-hook': helloHook() }),
    'private.example.org': onlyWithToken((request, response) =>
      (isFile(join(home, 'www', pathOf(request))) ? files : git)(request, response),
    ),
    'npm.acme.example.org': onlyWithToken(
      registry('https://npm.acme.example.org', { '@acme/hello-hook': helloHook() }),
    ),
  }
  const web = await startHttpsServer(
    (request, response) => {
      const listener = hosts[request.headers.host ?? '']
      if (listener === undefined) return response.writeHead(404).end()
      return listener(request, response)
    },
    trustedCertificate(Object.keys(hosts)),
  )
  const proxy = await startProxy(() => 200, web.port)
  return {
    env: {
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: authorityFile(),
      GIT_SSL_CAINFO: authorityFile(),
      // The machine may have another proxy set for npm.
      npm_config_cafile: authorityFile(),
      npm_config_registry: 'https://npm.example.org/',
      npm_config_update_notifier: 'false',
    },
    close: async () => {
      await proxy.close()
      await web.close()
    },
  }
}

const pathOf = ({ url = '/' }: IncomingMessage): string =>
  decodeURIComponent(new URL(url, 'https://example.org').pathname)

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

const serveFiles =
  (folder: string): RequestListener =>
  (request, response) => {
    const file = join(folder, pathOf(request))
    if (!isFile(file)) return response.writeHead(404).end()
    const bytes = readFileSync(file)
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
    return response.writeHead(200, { etag }).end(bytes)
  }

const onlyWithToken =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    request.headers.authorization === SECRET
      ? listener(request, response)
      : request.resume() && response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{"error":"sign in first"}')

/** Version → bytes of its archive. */
type Versions = Map<string, Buffer>

/** A registry with the part of npm's protocol that `npm view`, `npm pack` and `npm publish` need. */
const registry = (url: string, published: Readonly<Record<string, Versions>>): RequestListener => {
  const packages = new Map(Object.entries(published))
  return (request, response) => {
    const [name = '', file] = pathOf(request).slice(1).split('/-/')
    if (request.method === 'PUT') return void take(packages, name, request, response)
    const versions = packages.get(name)
    const bytes = versions?.get(/-(\d.*)\.tgz$/.exec(file ?? '')?.[1] ?? '')
    if (versions === undefined || (file !== undefined && bytes === undefined))
      return response.writeHead(404).end('{"error":"Not found"}')
    return response.end(bytes ?? JSON.stringify(packumentOf(url, name, versions)))
  }
}

const packumentOf = (url: string, name: string, versions: Versions) => ({
  name,
  'dist-tags': { latest: [...versions.keys()].findLast((version) => !version.includes('-')) },
  versions: Object.fromEntries(
    [...versions].map(([version, bytes]) => {
      const tarball = `${url}/${name}/-/${name.replace(/^@.*\//, '')}-${version}.tgz`
      return [version, { name, version, dist: { tarball, integrity: sha512(bytes) } }]
    }),
  ),
})

const sha512 = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** The request of `npm publish`: the packument of one version, with its archive as an attachment. */
const take = async (
  packages: Map<string, Versions>,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const sent = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<
    Record<string, Readonly<Record<string, { readonly data?: string }>>>
  >
  const versions = packages.get(name) ?? new Map<string, Buffer>()
  const [version = ''] = Object.keys(sent['versions'] ?? {})
  const [attachment] = Object.values(sent['_attachments'] ?? {})
  packages.set(name, versions.set(version, Buffer.from(attachment?.data ?? '', 'base64')))
  response.writeHead(201).end('{"ok":true}')
}

/** The bundle of the repository, in two versions. */
const helloHook = (): Versions => {
  const folder = join(ROOT, 'fixtures/bundles/hello-hook')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => isFile(join(folder, path)))
    .toSorted()
  const packed = (version: string): Buffer => {
    const entries = files.map((path): TarEntry => {
      const text = readFileSync(join(folder, path), 'utf8')
      const body = path === 'capability.json' ? text.replace('"version": "1.0.0"', `"version": "${version}"`) : text
      return { path: `package/${path}`, body, mode: text.startsWith('#!') ? 0o755 : 0o644 }
    })
    return tgz({ path: 'package/package.json', body: JSON.stringify({ name: 'hello-hook', version }) }, ...entries)
  }
  return new Map(['1.0.0', '1.1.0'].map((version) => [version, packed(version)]))
}
