import { posix } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'
import type { FeatureManifest, McpServer } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { HostServer } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'
import type { HostRuntime, McpConfig } from '../runtimes/runtime.ts'
import { interpreterFor } from './hook-command.ts'
import type { EntrySource } from './host-hooks.ts'
import type { LeftOut } from './left-out.ts'

export type ServerFile = Pick<BundleFile, 'path' | 'executable'>

type ServerValue = HostServer['value']

export interface HostServers {
  readonly servers: readonly HostServer[]
  /** Servers that this host cannot use. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * A capability's MCP servers for one host's file (rule 25): a command that is a path, and `cwd`, become absolute and are
 * inside the installed bundle; arguments, environment and headers are as declared. A server that the host cannot use is
 * left out.
 * @throws HOST_SCRIPT for a command that is not in the bundle
 */
export const hostServers = (
  manifest: FeatureManifest,
  runtime: HostRuntime & { readonly mcp: McpConfig },
  source: EntrySource<ServerFile>,
): HostServers => {
  const results = Object.entries(manifest.mcpServers ?? {}).map(([name, server]): HostServer | LeftOut => {
    const value = renderServer(server, { ...source, name, runtime })
    if (value === null) return unusableServer(name, server, runtime)
    const pointsInside = 'command' in server && (isPath(server.command) || server.cwd !== undefined)
    return { kind: 'server', name, value, folder: pointsInside ? source.dir : null }
  })
  return {
    servers: results.flatMap((result) => ('code' in result ? [] : [result])),
    leftOut: results.flatMap((result) => ('code' in result ? [result] : [])),
  }
}

interface ServerContext extends EntrySource<ServerFile> {
  readonly name: string
  readonly runtime: HostRuntime & { readonly mcp: McpConfig }
}

/** Null where the host cannot use the server. */
const renderServer = (server: McpServer, setting: ServerContext): ServerValue | null =>
  'command' in server ? renderLocalServer(server, setting) : REMOTE_FORMS[setting.runtime.mcp.form](server)

const unusableServer = (name: string, server: McpServer, { id, title }: HostRuntime): LeftOut => {
  const type = 'command' in server ? 'stdio' : server.type
  const reason = `${title} cannot use a server over ${type}, so the MCP server ${quote(name)} is left out`
  return { code: 'HOST_UNSUPPORTED', reason, details: { runtime: id, server: name, type } }
}

const renderLocalServer = (server: Extract<McpServer, { command: string }>, setting: ServerContext): ServerValue => {
  const [command, ...before] = resolveCommand(server.command, setting)
  const args = [...before, ...(server.args ?? [])]
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(server.env === undefined ? {} : { env: server.env }),
    ...(server.cwd === undefined ? {} : { cwd: resolveInside(server.cwd, setting) }),
  }
}

/** A file that is not executable is run by its interpreter. */
const resolveCommand = (command: string, setting: ServerContext): readonly [string, ...string[]] => {
  if (!isPath(command)) return [command]
  const path = resolveInside(command, setting)
  const file = setting.files.find((each) => posix.join(setting.dir, each.path) === path)
  if (file === undefined) throw serverPathError(setting, command, 'is not a file of the bundle')
  if (file.executable) return [path]
  const interpreter = interpreterFor(path)
  if (interpreter === null)
    throw serverPathError(setting, command, 'is not executable, and no interpreter is known for it')
  return [interpreter, path]
}

const isPath = (command: string): boolean => command.includes('/')

const resolveInside = (path: string, setting: ServerContext): string => {
  const whole = posix.join(setting.dir, path).replace(/\/$/, '')
  if (!posix.isAbsolute(path) && (whole === setting.dir || whole.startsWith(`${setting.dir}/`))) return whole
  throw serverPathError(setting, path, 'leads out of the bundle')
}

const serverPathError = ({ name }: ServerContext, path: string, what: string): GsdError =>
  new GsdError('HOST_SCRIPT', `the MCP server ${quote(name)} names ${quote(path)}, which ${what}`, {
    hint: 'correct mcpServers in capability.json',
    details: { server: name, path },
  })

type RemoteServer = Extract<McpServer, { url: string }>

const headersMember = ({ headers: own }: RemoteServer, key = 'headers'): { readonly [key: string]: Json } =>
  own === undefined ? {} : { [key]: own }

/** How each host writes a server that is reached over the network; null where it cannot. */
const REMOTE_FORMS: Readonly<Record<McpConfig['form'], (server: RemoteServer) => ServerValue | null>> = {
  claude: (server) => ({ type: server.type, url: server.url, ...headersMember(server) }),
  cursor: (server) => ({ url: server.url, ...headersMember(server) }),
  codex: (server) => (server.type === 'sse' ? null : { url: server.url, ...headersMember(server, 'http_headers') }),
  trae: () => null,
}
