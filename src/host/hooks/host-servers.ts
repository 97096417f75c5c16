import { posix } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'
import type { FeatureManifest, McpServer } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { HostServer } from '../../state/host-edit.ts'
import type { HostRuntime, McpConfig } from '../runtimes/runtime.ts'
import { interpreterFor } from './hook-command.ts'
import type { EntrySource } from './host-hooks.ts'
import type { LeftOut } from './left-out.ts'
import { type RenderedServer, renderRemoteServer, SERVER_FORMS } from './server-forms.ts'
import { resolveVariables, type Unreachable } from './server-variables.ts'

export type ServerFile = Pick<BundleFile, 'path' | 'executable'>

export interface HostServers {
  readonly servers: readonly HostServer[]
  /** Servers that this host cannot use. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * A capability's MCP servers for one host's file (rule 25): a command that is a path, and `cwd`, become absolute and are
 * inside the installed bundle; variables are written so that they reach it. A server that the host cannot use is left out.
 * @throws HOST_SCRIPT for a command that is not in the bundle
 */
export const hostServers = (
  manifest: FeatureManifest,
  runtime: HostRuntime & { readonly mcp: McpConfig },
  source: EntrySource<ServerFile>,
): HostServers => {
  const results = Object.entries(manifest.mcpServers ?? {}).map(([name, server]): HostServer | LeftOut => {
    const rendered = renderServer(server, { ...source, name, runtime })
    if ('reason' in rendered) return unusableServer(name, rendered, runtime)
    const pointsInside = 'command' in server && (isPath(server.command) || server.cwd !== undefined)
    return { kind: 'server', name, value: rendered.value, folder: pointsInside ? source.dir : null }
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

const unusableServer = (name: string, { reason }: Unreachable, { id, title }: HostRuntime): LeftOut => ({
  code: 'HOST_UNSUPPORTED',
  reason: `the MCP server ${quote(name)} is left out of ${title}: ${reason}`,
  details: { runtime: id, server: name },
})

const renderServer = (server: McpServer, setting: ServerContext): RenderedServer => {
  const { mcp } = setting.runtime
  if ('url' in server) return renderRemoteServer(server, mcp)
  const [command, ...before] = resolveCommand(server.command, setting)
  const local = {
    command,
    args: [...before, ...(server.args ?? [])],
    env: server.env ?? {},
    cwd: server.cwd === undefined ? null : resolveInside(server.cwd, setting),
  }
  const resolved = resolveVariables(local, mcp.variables, mcp.cwd === true)
  return 'reason' in resolved ? resolved : { value: SERVER_FORMS[mcp.form].local(resolved) }
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
