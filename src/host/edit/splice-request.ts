import type { HostEntry, HostFileRecord } from '../../state/host-edit.ts'
import type { SpliceRequest } from '../surfaces/surface.ts'
import { sameEntry } from './host-entry.ts'

/** The desired entries of one capability in a file, and the recorded ones. */
interface DesiredEntries {
  readonly id: string
  readonly add: readonly HostEntry[]
  readonly remove: readonly HostEntry[]
  readonly record: HostFileRecord | null
  /** See `SpliceRequest`. */
  readonly adopt?: boolean
}

/** The request for a surface that makes a file hold the desired entries. */
export const spliceRequest = (
  file: string,
  text: string | null,
  wanted: DesiredEntries,
  strict: boolean,
): SpliceRequest<HostEntry> => ({
  file,
  id: wanted.id,
  add: wanted.add,
  remove: wanted.remove,
  recorded: recordedEntries(wanted.record, wanted.id),
  containers: text === null ? [] : (wanted.record?.containers ?? []),
  inUse: Object.keys(entriesAfterEdit(wanted)).length > 0,
  strict,
  adopt: wanted.adopt ?? false,
})

/** Capability id → entries, as `hosts.json` is to have it for this file. */
export const entriesAfterEdit = ({ id, add, remove, record }: DesiredEntries): Record<string, readonly HostEntry[]> => {
  const others = Object.entries(record?.entries ?? {}).filter(([other]) => other !== id)
  const stay = recordedEntries(record, id).filter((hook) => ![...add, ...remove].some((each) => sameEntry(each, hook)))
  const own = [...stay, ...add]
  return Object.fromEntries(own.length > 0 ? [...others, [id, own]] : others)
}

/** What the record says a capability has in its file. */
export const recordedEntries = (record: HostFileRecord | null, id: string): readonly HostEntry[] =>
  record !== null && Object.hasOwn(record.entries, id) ? (record.entries[id] ?? []) : []

/** Nothing is left in a file. */
export const isBlankFile = (text: string): boolean => /^\uFEFF?\s*$/.test(text)
