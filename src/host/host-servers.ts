import { posix } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { GsdError } from '../errors.ts'
import type { FeatureManifest, McpServer } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { Json } from '../store/journal-entry.ts'
import { interpreterFor } from './hook-command.ts'
import type { HostServer } from './host-edit.ts'
import type { HostRuntime, McpPlace } from './runtimes/runtime.ts'

export type ServerFile = Pick<BundleFile, 'path' | 'executable'>

type Value = HostServer['value']

/**
 * A capability's MCP servers as they are to stand in one host's file (rule 25): a command that is a path, and `cwd`, are
 * absolute and inside `dir`, the real path of the installed bundle, in which there are no links; arguments, environment and
 * headers are as declared.
 * @throws HOST_UNSUPPORTED for a server that the host cannot reach, HOST_SCRIPT for a command that is not in the bundle
 */
export const hostServers = (
  manifest: FeatureManifest,
  runtime: HostRuntime & { readonly mcp: McpPlace },
  dir: string,
  files: readonly ServerFile[],
): HostServer[] =>
  Object.entries(manifest.mcpServers ?? {}).map(([name, server]) => {
    const value = valueOf(server, { id: manifest.id, name, runtime, dir, files })
    const leadsInside = 'command' in server && (isPath(server.command) || server.cwd !== undefined)
    return { kind: 'server', name, value, folder: leadsInside ? dir : null }
  })

interface Setting {
  readonly id: string
  readonly name: string
  readonly runtime: HostRuntime & { readonly mcp: McpPlace }
  readonly dir: string
  readonly files: readonly ServerFile[]
}

const valueOf = (server: McpServer, setting: Setting): Value => {
  if ('command' in server) return spawned(server, setting)
  const value = REMOTE[setting.runtime.mcp.form](server)
  if (value !== null) return value
  const { id, name, runtime } = setting
  throw new GsdError(
    'HOST_UNSUPPORTED',
    `${quote(id)} has the MCP server ${quote(name)} over ${server.type}, which ${runtime.title} cannot reach that way`,
    { hint: `leave out --runtime ${runtime.id}`, details: { runtime: runtime.id, server: name, type: server.type } },
  )
}

const spawned = (server: Extract<McpServer, { command: string }>, setting: Setting): Value => {
  const [command, ...before] = commandOf(server.command, setting)
  const args = [...before, ...(server.args ?? [])]
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(server.env === undefined ? {} : { env: server.env }),
    ...(server.cwd === undefined ? {} : { cwd: inside(server.cwd, setting) }),
  }
}

/** A file that cannot be executed as it is runs behind its interpreter. */
const commandOf = (command: string, setting: Setting): readonly [string, ...string[]] => {
  if (!isPath(command)) return [command]
  const path = inside(command, setting)
  const file = setting.files.find((each) => posix.join(setting.dir, each.path) === path)
  if (file === undefined) throw refused(setting, command, 'is not a file of the bundle')
  if (file.executable) return [path]
  const interpreter = interpreterFor(path)
  if (interpreter === null) throw refused(setting, command, 'is not executable, and no interpreter is known for it')
  return [interpreter, path]
}

const isPath = (command: string): boolean => command.includes('/')

const inside = (path: string, setting: Setting): string => {
  const whole = posix.join(setting.dir, path).replace(/\/$/, '')
  if (!posix.isAbsolute(path) && (whole === setting.dir || whole.startsWith(`${setting.dir}/`))) return whole
  throw refused(setting, path, 'leads out of the bundle')
}

const refused = ({ name }: Setting, path: string, what: string): GsdError =>
  new GsdError('HOST_SCRIPT', `the MCP server ${quote(name)} names ${quote(path)}, which ${what}`, {
    hint: 'correct mcpServers in capability.json',
    details: { server: name, path },
  })

type Remote = Extract<McpServer, { url: string }>

const headers = ({ headers: own }: Remote, key = 'headers'): { readonly [key: string]: Json } =>
  own === undefined ? {} : { [key]: own }

/** How each host writes a server that is reached over the network; null where it cannot. */
const REMOTE: Readonly<Record<McpPlace['form'], (server: Remote) => Value | null>> = {
  claude: (server) => ({ type: server.type, url: server.url, ...headers(server) }),
  cursor: (server) => ({ url: server.url, ...headers(server) }),
  codex: (server) => (server.type === 'sse' ? null : { url: server.url, ...headers(server, 'http_headers') }),
  trae: () => null,
}
