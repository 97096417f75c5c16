import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { HostEdit, HostFileRecord, PlacedFile } from './host-edit.ts'
import type { HostText } from './host-text.ts'
import { hashOfText } from './text-hash.ts'

/** What is to stand in a file of our own. */
export interface Placement {
  /** Path in the bundle. */
  readonly source: string
  readonly text: string
  readonly executable: boolean
}

export interface PlacedPlan {
  readonly host: HostText
  readonly runtime: string
  readonly id: string
  /** Null: the file is to go. */
  readonly wanted: Placement | null
  readonly record: HostFileRecord | null
}

/**
 * Plans that a whole file of ours stands somewhere, or goes. Never over a file that is not ours; one that was edited since
 * stays as it is, and is reported. A file that says the same already is taken as it is, and never deleted by us.
 * @throws HOST_SETTINGS_FILE for a file of the user, or of another capability, in the place of ours
 */
export const planPlacedFile = (plan: PlacedPlan): { edit: HostEdit; warnings: readonly Diagnostic[] } => {
  const { host, wanted, runtime, record } = plan
  const ours = placedIn(plan.record, plan.id)
  if (wanted !== null) requirePlace(plan, ours, wanted)
  const others = (ours?.hosts ?? []).filter((each) => each !== runtime)
  const hosts = wanted === null ? others : [...others, runtime].toSorted()
  const kept = ours === null || hosts.length === 0 ? null : recordOf(plan, { ...ours, hosts })
  if (ours !== null && host.text !== null && !isEither(host, ours, wanted)) {
    return { edit: editOf(plan, host.text, kept), warnings: [keptAsIs(plan)] }
  }
  if (wanted !== null) {
    const entry: PlacedFile = { kind: 'file', source: wanted.source, sha512: hashOfText(wanted.text) ?? '', hosts }
    return { edit: editOf(plan, wanted.text, recordOf(plan, entry)), warnings: [] }
  }
  const goes = ours !== null && kept === null && record?.madeFile === true
  return { edit: editOf(plan, goes ? null : host.text, kept), warnings: [] }
}

/** Hosts for which the capability has something in a file. */
export const hostsOfRecord = (record: HostFileRecord, id: string): readonly string[] =>
  placedIn(record, id)?.hosts ?? [record.runtime]

/** Whether a file still reads as the record says. */
export const isAsPlaced = ({ hash }: HostText, record: HostFileRecord, id: string): boolean =>
  placedIn(record, id)?.sha512 === hash

const placedIn = (record: HostFileRecord | null, id: string): PlacedFile | null => {
  const [entry] = record !== null && Object.hasOwn(record.entries, id) ? (record.entries[id] ?? []) : []
  return entry?.kind === 'file' ? entry : null
}

const isEither = ({ hash }: HostText, ours: PlacedFile, wanted: Placement | null): boolean =>
  hash === ours.sha512 || (wanted !== null && hash === hashOfText(wanted.text))

const requirePlace = ({ host, record, id }: PlacedPlan, ours: PlacedFile | null, { text }: Placement): void => {
  const other = Object.keys(record?.entries ?? {}).find((each) => each !== id)
  if (other === undefined && (ours !== null || host.text === null || host.text === text)) return
  const whose =
    other === undefined ? 'is there already and was not made by this program' : `belongs to the capability ${other}`
  throw new GsdError('HOST_SETTINGS_FILE', `${quote(host.file)} ${whose}`, {
    hint:
      other === undefined
        ? `move ${host.file} away, then run the command again; it was left as it is`
        : `gsd capability remove ${other} first`,
    details: { file: host.file },
  })
}

const recordOf = ({ host, runtime, id, record }: PlacedPlan, entry: PlacedFile): HostFileRecord => ({
  surface: 'placed-file',
  runtime: record?.runtime ?? runtime,
  madeFile: host.text === null || (record?.madeFile ?? false),
  madeFolders: [...new Set([...(record?.madeFolders ?? []), ...host.missingFolders])],
  containers: [],
  entries: { [id]: [entry] },
})

const editOf = (plan: PlacedPlan, after: string | null, recordAfter: HostFileRecord | null): HostEdit => {
  const { host, id, record, wanted } = plan
  const before = record !== null && Object.hasOwn(record.entries, id) ? (record.entries[id] ?? []) : []
  return {
    file: host.file,
    surface: 'placed-file',
    id,
    add: recordAfter?.entries[id] ?? [],
    remove: before,
    hashBefore: host.hash,
    hashAfter: hashOfText(after),
    mode: wanted?.executable === true ? 0o777 : 0o666,
    patches: after === host.text ? [] : [{ offset: 0, remove: host.text ?? '', insert: after ?? '' }],
    recordBefore: record,
    recordAfter,
  }
}

const keptAsIs = ({ host: { file }, wanted }: PlacedPlan): Diagnostic =>
  diagnostic('warning', 'HOST_ENTRY_EDITED', `${quote(file)} was edited and stays as it is`, {
    file,
    hint:
      wanted === null
        ? `delete it if it is not needed: ${file}`
        : `delete it, then gsd capability sync, to have ours: ${file}`,
  })
