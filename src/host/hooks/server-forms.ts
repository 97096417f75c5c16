import type { McpServer } from '../../manifest/manifest.ts'
import type { HostServer } from '../../state/host-edit.ts'
import type { McpConfig } from '../runtimes/runtime.ts'
import { type ResolvedServer, splitVariables, translateVariables, type Unreachable } from './server-variables.ts'

type ServerValue = HostServer['value']

/** A server in a host's form, or why the host cannot use it. */
export type RenderedServer = { readonly value: ServerValue } | Unreachable

type RemoteServer = Extract<McpServer, { url: string }>

interface ServerForm {
  readonly local: (server: ResolvedServer) => ServerValue
  /** Null where the host reaches no server in this way. */
  readonly remote: (server: RemoteServer) => ServerValue | null
  /** Members by which it takes the name of a variable: for a whole header, and for a bearer token. */
  readonly headerVariable?: string
  readonly bearerVariable?: string
}

const plain = ({ command, args, env, cwd }: ResolvedServer): ServerValue => ({
  command,
  ...(args.length === 0 ? {} : { args }),
  ...members('env', env),
  ...(cwd === null ? {} : { cwd }),
})

const members = (key: string, value: Readonly<Record<string, string>> | undefined): ServerValue =>
  value === undefined || Object.keys(value).length === 0 ? {} : { [key]: value }

/** How each host writes a server in its own process and one over the network. */
export const SERVER_FORMS: Readonly<Record<McpConfig['form'], ServerForm>> = {
  claude: {
    local: plain,
    remote: ({ type, url, headers }) => ({ type, url, ...members('headers', headers) }),
  },
  cursor: {
    local: plain,
    remote: ({ url, headers }) => ({ url, ...members('headers', headers) }),
  },
  codex: {
    local: (server) => ({ ...plain(server), ...(server.passed.length === 0 ? {} : { env_vars: server.passed }) }),
    remote: ({ type, url, headers }) => (type === 'sse' ? null : { url, ...members('http_headers', headers) }),
    headerVariable: 'env_http_headers',
    bearerVariable: 'bearer_token_env_var',
  },
  trae: { local: plain, remote: () => null },
  copilot: {
    local: ({ command, args, env }) => ({ type: 'local', command, args, ...members('env', env), tools: ['*'] }),
    remote: ({ type, url, headers }) => ({ type, url, ...members('headers', headers), tools: ['*'] }),
  },
  gemini: {
    local: plain,
    remote: ({ type, url, headers }) => ({
      [type === 'sse' ? 'url' : 'httpUrl']: url,
      ...members('headers', headers),
    }),
  },
  opencode: {
    local: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...members('environment', env),
      enabled: true,
    }),
    remote: ({ url, headers }) => ({ type: 'remote', url, ...members('headers', headers), enabled: true }),
  },
  'kimi-code': {
    local: plain,
    remote: ({ type, url, headers }) => ({
      ...(type === 'sse' ? { transport: 'sse' } : {}),
      url,
      ...members('headers', headers),
    }),
    bearerVariable: 'bearerTokenEnvVar',
  },
  cline: {
    local: plain,
    remote: ({ type, url, headers }) => ({
      type: type === 'sse' ? 'sse' : 'streamableHttp',
      url,
      ...members('headers', headers),
    }),
  },
}

/** A server over the network, with its variables as the host writes them. */
export const renderRemoteServer = (server: RemoteServer, { form: id, variables }: McpConfig): RenderedServer => {
  const form = SERVER_FORMS[id]
  const url = translateVariables(server.url, 'url', variables)
  if (url === null) return { reason: `it cannot replace the variable in ${JSON.stringify(server.url)}` }
  const headers: Record<string, string> = {}
  const byName: Record<string, string> = {}
  let bearer: ServerValue = {}
  for (const [name, value] of Object.entries(server.headers ?? {})) {
    const own = translateVariables(value, 'headers', variables)
    const variable = variableOf(value, '')
    const token = name.toLowerCase() === 'authorization' ? variableOf(value, 'Bearer ') : null
    if (own !== null) headers[name] = own
    else if (token !== null && form.bearerVariable !== undefined) bearer = { [form.bearerVariable]: token }
    else if (variable !== null && form.headerVariable !== undefined) byName[name] = variable
    else return { reason: `it cannot replace the variable in the header ${name}` }
  }
  const value = form.remote({ ...server, url, headers })
  if (value === null) return { reason: `it reaches no server over ${server.type}` }
  return { value: { ...value, ...bearer, ...members(form.headerVariable ?? '', byName) } }
}

/** The variable that is all of a text after a prefix; null where it is not. */
const variableOf = (text: string, prefix: string): string | null => {
  if (!text.startsWith(prefix)) return null
  const [first, ...rest] = splitVariables(text.slice(prefix.length))
  return typeof first === 'object' && first.fallback === null && rest.length === 0 ? first.name : null
}
