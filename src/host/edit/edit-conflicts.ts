import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { HostEntry, HostFileRecord, SurfaceKind } from '../../state/host-edit.ts'
import { isServer } from './host-entry.ts'
import type { HostFileContent } from './open-host-file.ts'

/** @throws HOST_SETTINGS_FILE where a file for one capability alone is the user's or another capability's */
export const requireOwnFile = ({ host: { file }, id, record, runtime }: HostEditRequest): void => {
  const other = Object.keys(record?.entries ?? {}).find((each) => each !== id)
  if (record?.madeFile && other === undefined) return
  const whose =
    other === undefined ? 'exists already and was not created by this program' : `is in use by the capability ${other}`
  throw new GsdError('HOST_SETTINGS_FILE', `${quote(file)} ${whose}`, {
    hint:
      other === undefined
        ? `move ${file} away, then run the command again; it was left as it is`
        : `gsd capability remove ${other} first, or leave out --runtime ${runtime}`,
    details: { file, ...(other === undefined ? {} : { capability: other }) },
  })
}

/** @throws HOST_SERVER_NAME where another capability has a server of that name in the file */
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

/** One change of one host file, before it is planned. */
export interface HostEditRequest {
  readonly host: HostFileContent
  readonly surface: SurfaceKind
  readonly runtime: string
  /** Capability whose entries are added or removed. */
  readonly id: string
  /** Entries to be there afterwards; existing ones stay as they are. */
  readonly add: readonly HostEntry[]
  /** Entries to be gone afterwards; one that is also in `add` stays. */
  readonly remove: readonly HostEntry[]
  /** Servers that the file holds exactly as they are to be are ours, recorded or not. */
  readonly adopt?: boolean
  /** What `hosts.json` has for this file. */
  readonly record: HostFileRecord | null
}
