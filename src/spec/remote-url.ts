import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isLoopback, parseHost, parseUrlUser } from './url-authority.ts'

/** A checked and normalized `https`, `http` or `ssh` url. */
export interface RemoteUrl {
  readonly scheme: 'https' | 'http' | 'ssh'
  /** A user name without a password. */
  readonly user: string | null
  /** Lower case; international names in their ASCII form; IPv6 in brackets. */
  readonly host: string
  /** Null for the default port of the scheme. */
  readonly port: string | null
  /** Starts with `/`, or is empty. */
  readonly path: string
  /** Without `?`. */
  readonly query: string | null
}

const SHAPE = /^([a-z]+):\/\/(?:([^/?#]*)@)?(\[[^\]/?#@]*\]|[^/?#@:[\]]*)(?::([^/?#]*))?(\/[^?#]*)?(?:\?([^#]*))?$/i
const DEFAULT_PORT = { https: '443', http: '80', ssh: '22' } as const

/**
 * Parses a url without fragment and without `git+`.
 *
 * @throws GsdError `SPEC_MALFORMED`; `SPEC_REFUSED` for credentials and for `http` that is not both allowed and local
 */
export const parseRemoteUrl = (text: string, allowHttp: boolean): RemoteUrl => {
  if (/[\s\\]/.test(text)) throw malformed(text, 'contains a space or a backslash', 'write it percent-encoded')
  const [, scheme, user, host = '', port, path = '', query] = SHAPE.exec(text) ?? []
  if (scheme === undefined) throw malformed(text, 'is not a url')
  const lower = scheme.toLowerCase() as RemoteUrl['scheme']
  const url = {
    scheme: lower,
    host: parseHost(host, text),
    user: user === undefined ? null : parseUrlUser(user, lower, host),
    port: parsePort(port, lower, text),
    path: parseUrlPath(path, text),
    query: query === undefined || query === '' ? null : query,
  }
  if (lower === 'http') checkHttp(url, allowHttp, text)
  return url
}

/** The url as text; `parseRemoteUrl` parses it to the same value. */
export const formatRemoteUrl = (url: RemoteUrl): string => {
  const user = url.user === null ? '' : `${url.user}@`
  const port = url.port === null ? '' : `:${url.port}`
  const query = url.query === null ? '' : `?${url.query}`
  return `${url.scheme}://${user}${url.host}${port}${url.path}${query}`
}

const parsePort = (port: string | undefined, scheme: RemoteUrl['scheme'], text: string): string | null => {
  if (port === undefined) return null
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    const hint =
      scheme === 'ssh'
        ? 'with a path after ":" write git@<host>:<path>, else ssh://git@<host>/<path>'
        : 'a port is a number'
    throw malformed(text, `has ${quote(port)} in place of a port`, hint)
  }
  return Number(port) === Number(DEFAULT_PORT[scheme]) ? null : String(Number(port))
}

/** No `..`, plain or percent-encoded: policy and user must see the address that is contacted. */
const parseUrlPath = (path: string, text: string): string => {
  for (const part of decodePath(path, text).split(/[\\/]/)) {
    if (part === '.' || part === '..')
      throw new GsdError('SPEC_REFUSED', `${quote(text)} has the segment ${quote(part)} in its path`, {
        hint: 'write the url that it points to',
      })
  }
  return path.replace(/[^\u0021-\u007e]/gu, encodeURIComponent)
}

const decodePath = (path: string, text: string): string => {
  let plain
  try {
    plain = decodeURIComponent(path)
  } catch {
    throw malformed(text, 'has a "%" that encodes nothing', 'write "%25" for a "%"')
  }
  if (/[\u0000-\u001f\u007f-\u009f]/.test(plain))
    throw new GsdError('SPEC_REFUSED', `${quote(text)} encodes a control character`, { hint: 'remove it from the url' })
  return plain
}

const checkHttp = (url: RemoteUrl, allowHttp: boolean, text: string): void => {
  if (!isLoopback(url.host)) {
    throw new GsdError('SPEC_REFUSED', `${quote(text)} is not encrypted`, {
      hint: `write ${formatRemoteUrl({ ...url, scheme: 'https', port: null })}`,
    })
  }
  if (!allowHttp)
    throw new GsdError('SPEC_REFUSED', `${quote(text)} is not encrypted`, {
      hint: 'for a server on this machine add --allow-http',
    })
}

const malformed = (text: string, what: string, hint?: string): GsdError =>
  new GsdError('SPEC_MALFORMED', `${quote(text)} ${what}`, hint === undefined ? {} : { hint })
