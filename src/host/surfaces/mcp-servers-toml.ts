import { isServer } from '../edit/host-entry.ts'
import { spliceTomlServers } from '../splice/splice-toml-servers.ts'
import { onlyEntries, type Surface } from './surface.ts'

/** `[mcp_servers.<name>]` tables of a TOML file. */
export const mcpServersToml: Surface = {
  kind: 'mcp-servers-toml',
  ownFile: false,
  mode: 0o666,
  splice: (text, request) => spliceTomlServers(text, onlyEntries(request, isServer)),
}
