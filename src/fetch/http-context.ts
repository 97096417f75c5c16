import type { HttpAuthorization, HttpContext } from '../platform/http/get.ts'
import type { FetchContext } from './fetcher.ts'

/** The part of a fetch's context that requests need: who may be contacted, and with which credentials. */
export const httpContext = (context: FetchContext): HttpContext => ({
  env: context.env,
  signal: context.signal,
  allowHttp: context.allowHttp,
  checkHost: ({ hostname: host }) => context.checkPolicy?.({ kind: 'host', host, catalog: context.viaCatalog }),
  authorizationFor: (url) => findAuthorization(url, context),
})

export interface Authorization extends HttpAuthorization {
  /** Whether the user's configuration has an entry for the host, usable or not. */
  readonly configured: boolean
}

const HEADER = /^([A-Za-z0-9-]+): *([\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?)$/
const TOKEN = /^[\u0021-\u007e]+$/

/**
 * The header that the user's configuration has for the host and port of a url, else for the host. A variable holds a whole
 * header line, or a token, which is sent as a bearer token.
 */
export const findAuthorization = (url: URL, { config, env }: Pick<FetchContext, 'config' | 'env'>): Authorization => {
  const { auth } = config()
  const { hostname: host, port, protocol } = url
  const source = auth.get(`${host}:${port || (protocol === 'http:' ? '80' : '443')}`) ?? auth.get(host)
  if (source === undefined) {
    return {
      headers: {},
      configured: false,
      hint: `add "auth": {"${host}": {"env": "<variable with the header>"}} to ~/.gsd/config.json`,
    }
  }
  const line = source.kind === 'header' ? source.header : (env[source.variable] ?? '').trim()
  const [, name, value] = HEADER.exec(line) ?? []
  const where = source.kind === 'env' ? `$${source.variable}` : `the header for ${host} in ~/.gsd/config.json`
  if (name !== undefined && value !== undefined)
    return { headers: { [name.toLowerCase()]: value }, configured: true, hint: `check ${where}` }
  if (TOKEN.test(line))
    return { headers: { authorization: `Bearer ${line}` }, configured: true, hint: `check ${where}` }
  return { headers: {}, configured: true, hint: `set ${where}, which ~/.gsd/config.json names for ${host}` }
}
