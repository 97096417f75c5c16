import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { HostEditRequest } from './edit-request.ts'
import { isServer } from './host-entry.ts'

/** A file of its own belongs to the one capability it was made for. */
export const requireOwnFile = ({ host: { file }, id, record, runtime }: HostEditRequest): void => {
  const other = Object.keys(record?.entries ?? {}).find((each) => each !== id)
  if (record?.madeFile && other === undefined) return
  const whose =
    other === undefined ? 'is there already and was not made by this program' : `is in use by the capability ${other}`
  throw new GsdError('HOST_SETTINGS_FILE', `${quote(file)} ${whose}`, {
    hint:
      other === undefined
        ? `move ${file} away, then run the command again; it was left as it is`
        : `gsd capability remove ${other} first, or leave out --runtime ${runtime}`,
    details: { file },
  })
}

/** One name, one server: what another capability has in this file keeps it. */
export const refuseServerNamesInUse = ({ host: { file }, id, add, record, runtime }: HostEditRequest): void => {
  for (const [other, entries] of Object.entries(record?.entries ?? {})) {
    const names = entries.filter(isServer).map(({ name }) => name)
    const same = add.filter(isServer).find(({ name }) => other !== id && names.includes(name))
    if (same === undefined) continue
    throw new GsdError(
      'HOST_SERVER_NAME',
      `${quote(id)} and ${quote(other)} both have an MCP server ${quote(same.name)}`,
      {
        hint: `gsd capability remove ${other} first, or leave out --runtime ${runtime}`,
        details: { file, server: same.name, capability: other },
      },
    )
  }
}
