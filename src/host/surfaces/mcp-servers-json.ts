import { isServer } from '../entry.ts'
import { spliceServers } from '../splice/json-servers.ts'
import { only, type Surface } from './surface.ts'

/** `mcpServers` of a JSON file. */
export const mcpServersJson: Surface = {
  kind: 'mcp-servers-json',
  ownFile: false,
  mode: 0o666,
  splice: (text, request) => spliceServers(text, only(request, isServer)),
}
