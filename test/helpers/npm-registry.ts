import { createHash } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { startHttpServer, type TestServer } from './servers.ts'
import { tgz, type TarEntry } from './tar.ts'

/** A version as the registry serves it; any field may be wrong. */
export interface PublishedVersion {
  readonly files?: readonly TarEntry[]
  /** Served instead of the published archive. */
  readonly bytes?: Buffer
  /** `dist`, or some of its members. */
  readonly dist?: Readonly<Record<string, unknown>>
  readonly deprecated?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

export interface RegistryOptions {
  readonly packages: Readonly<Record<string, Readonly<Record<string, PublishedVersion>>>>
  readonly tags?: Readonly<Record<string, string>>
  /** The required bearer token. */
  readonly token?: string
  /** Forbids clients to cache its answers. */
  readonly noStore?: boolean
}

/** A small registry on loopback with npm's protocol. */
export const startRegistry = async (options: RegistryOptions): Promise<TestServer> => {
  let web: TestServer | null = null
  const listener: RequestListener = (request, response) => {
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      return response.writeHead(401).end('{"error":"sign in first"}')
    }
    return answer(options, web?.url ?? '', request, response)
  }
  web = await startHttpServer(listener)
  return web
}

const answer = (options: RegistryOptions, url: string, request: IncomingMessage, response: ServerResponse): void => {
  const path = decodeURIComponent((request.url ?? '/').slice(1))
  const [name = '', file] = path.split('/-/')
  const versions = options.packages[name]
  if (versions === undefined) return void response.writeHead(404).end('{"error":"Not found"}')
  if (options.noStore === true) response.setHeader('cache-control', 'no-store')
  if (file !== undefined) {
    const version = versions[file.replace(/^.*?-(\d.*)\.tgz$/, '$1')]
    if (version === undefined) return void response.writeHead(404).end()
    return void response.end(version.bytes ?? tarballOf(name, version))
  }
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({
      name,
      'dist-tags': { latest: Object.keys(versions).at(-1), ...options.tags },
      versions: Object.fromEntries(
        Object.entries(versions).map(([version, published]) => [version, manifestOf(url, name, version, published)]),
      ),
    }),
  )
}

const manifestOf = (url: string, name: string, version: string, published: PublishedVersion) => {
  const bytes = tarballOf(name, published)
  const { dist, deprecated, scripts, dependencies } = published
  return {
    name,
    version,
    deprecated,
    scripts,
    hasInstallScript: scripts !== undefined,
    dependencies,
    dist: {
      tarball: `${url}/${name}/-/${name.replace(/^@.*\//, '')}-${version}.tgz`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      shasum: createHash('sha1').update(bytes).digest('hex'),
      ...dist,
    },
  }
}

/** The integrity of a package without any options. */
export const integrityOf = (name: string): string =>
  `sha512-${createHash('sha512').update(tarballOf(name, {})).digest('base64')}`

const MANIFEST = 'package/capability.json'

/** npm puts everything below `package/`. A manifest among the files replaces the default one. */
const tarballOf = (name: string, { files = [], scripts = {} }: PublishedVersion): Buffer =>
  tgz(
    { path: 'package/package.json', body: JSON.stringify({ name, scripts }) },
    ...(files.some(({ path }) => path === MANIFEST) ? [] : [{ path: MANIFEST, body: '{"id":"demo"}\n' }]),
    ...files,
  )
