import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { HostEntry } from '../../state/host-edit.ts'
import { isServer } from '../edit/host-entry.ts'
import type { LeftOut } from '../hooks/left-out.ts'
import type { DesiredHostFile, HostFileEditor } from './host-file-editor.ts'

export interface SetEntries {
  /** Real path of the file. */
  readonly file: string
  readonly entries: readonly HostEntry[]
  /** Servers that the file cannot take. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Plans the entries of a file. A server whose name is in use is left out, and so are all servers where the file has them in
 * a form that cannot be added to: neither is a reason to go without the rest of the capability.
 * @throws HOST_*
 */
export const setEntries = (hostFiles: HostFileEditor, desired: DesiredHostFile): SetEntries => {
  const { entries } = desired
  try {
    return { file: hostFiles.setEntries(desired), entries, leftOut: [] }
  } catch (error) {
    const unusable = error instanceof GsdError ? serversInTheWay(entries, error) : []
    if (!(error instanceof GsdError) || unusable.length === 0) throw error
    const rest = setEntries(hostFiles, { ...desired, entries: entries.filter((entry) => !unusable.includes(entry)) })
    const { code, message, details } = error
    return { ...rest, leftOut: [{ code, reason: reasonFor(unusable, message), details }, ...rest.leftOut] }
  }
}

const serversInTheWay = (entries: readonly HostEntry[], { code, details }: GsdError): readonly HostEntry[] => {
  const servers = entries.filter(isServer)
  if (code === 'HOST_SETTINGS_SHAPE') return servers
  const name = typeof details === 'object' && details !== null && 'server' in details ? details.server : null
  return code === 'HOST_SERVER_NAME' ? servers.filter((server) => server.name === name) : []
}

const reasonFor = (unusable: readonly HostEntry[], message: string): string => {
  const names = unusable.filter(isServer).map(({ name }) => quote(name))
  const what = names.length === 1 ? `server ${names.join('')} is` : `servers ${names.join(', ')} are`
  return `${message}, so the MCP ${what} left out`
}
