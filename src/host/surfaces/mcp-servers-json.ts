import { isServer } from '../edit/host-entry.ts'
import { spliceJsonServers } from '../splice/splice-json-servers.ts'
import { onlyEntries, type Surface } from './surface.ts'

/** `mcpServers` of a JSON file. */
export const mcpServersJson: Surface = {
  kind: 'mcp-servers-json',
  ownFile: false,
  mode: 0o666,
  splice: (text, request) => spliceJsonServers(text, onlyEntries(request, isServer)),
}
