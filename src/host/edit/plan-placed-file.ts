import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { hashOfText } from '../../platform/hash.ts'
import { quote } from '../../redact.ts'
import type { HostEdit, HostFileRecord, PlacedFile } from '../../state/host-edit.ts'
import type { HostFileContent } from './open-host-file.ts'

/** The content of a placed file. */
export interface Placement {
  /** Path in the bundle. */
  readonly source: string
  readonly text: string
  readonly executable: boolean
}

export interface PlacedFileRequest {
  readonly host: HostFileContent
  readonly runtime: string
  readonly id: string
  /** Null: the file is to be removed. */
  readonly desired: Placement | null
  readonly record: HostFileRecord | null
  /** A file that holds the desired text is ours, although it is not on record. */
  readonly adopt?: boolean
}

/**
 * Plans one placed file, or its removal. A file that is not ours is never replaced; one that was edited since stays, with a
 * warning. A file of the user with the same text is used as it is, and never deleted.
 * @throws HOST_SETTINGS_FILE for a file of the user, or of another capability, in the place of ours
 */
export const planPlacedFile = (plan: PlacedFileRequest): { edit: HostEdit; warnings: readonly Diagnostic[] } => {
  const { host, desired, runtime, record } = plan
  const ours = recordedPlacedFile(plan.record, plan.id)
  if (desired !== null) requireFreePath(plan, ours, desired)
  const others = (ours?.hosts ?? []).filter((each) => each !== runtime)
  const hosts = desired === null ? others : [...others, runtime].toSorted()
  const kept = ours === null || hosts.length === 0 ? null : newRecord(plan, { ...ours, hosts })
  if (ours !== null && host.text !== null && !isOwnContent(host, ours, desired)) {
    return { edit: buildEdit(plan, host.text, kept), warnings: [editedFileWarning(plan)] }
  }
  if (desired !== null) {
    const entry: PlacedFile = { kind: 'file', source: desired.source, sha512: hashOfText(desired.text) ?? '', hosts }
    return { edit: buildEdit(plan, desired.text, newRecord(plan, entry)), warnings: [] }
  }
  const isDeleted = ours !== null && kept === null && record?.madeFile === true
  return { edit: buildEdit(plan, isDeleted ? null : host.text, kept), warnings: [] }
}

/** Hosts for which the capability has something in a file. */
export const runtimesInRecord = (record: HostFileRecord, id: string): readonly string[] =>
  recordedPlacedFile(record, id)?.hosts ?? [record.runtime]

/** The file has the content on record. */
export const isUnmodified = ({ hash }: HostFileContent, record: HostFileRecord, id: string): boolean =>
  recordedPlacedFile(record, id)?.sha512 === hash

const recordedPlacedFile = (record: HostFileRecord | null, id: string): PlacedFile | null => {
  const [entry] = record !== null && Object.hasOwn(record.entries, id) ? (record.entries[id] ?? []) : []
  return entry?.kind === 'file' ? entry : null
}

const isOwnContent = ({ hash }: HostFileContent, ours: PlacedFile, wanted: Placement | null): boolean =>
  hash === ours.sha512 || (wanted !== null && hash === hashOfText(wanted.text))

const requireFreePath = (
  { host, record, id }: PlacedFileRequest,
  ours: PlacedFile | null,
  { text }: Placement,
): void => {
  const other = Object.keys(record?.entries ?? {}).find((each) => each !== id)
  if (other === undefined && (ours !== null || host.text === null || host.text === text)) return
  const whose =
    other === undefined ? 'exists already and was not created by this program' : `belongs to the capability ${other}`
  throw new GsdError('HOST_SETTINGS_FILE', `${quote(host.file)} ${whose}`, {
    hint:
      other === undefined
        ? `move ${host.file} away, then run the command again; it was left as it is`
        : `gsd capability remove ${other} first`,
    details: { file: host.file, ...(other === undefined ? {} : { capability: other }) },
  })
}

const newRecord = (
  { host, runtime, id, record, adopt = false }: PlacedFileRequest,
  entry: PlacedFile,
): HostFileRecord => ({
  surface: 'placed-file',
  runtime: record?.runtime ?? runtime,
  madeFile: host.text === null || (record?.madeFile ?? adopt),
  madeFolders: [...new Set([...(record?.madeFolders ?? []), ...host.missingFolders])],
  containers: [],
  entries: { [id]: [entry] },
})

const buildEdit = (plan: PlacedFileRequest, after: string | null, recordAfter: HostFileRecord | null): HostEdit => {
  const { host, id, record, desired } = plan
  const before = record !== null && Object.hasOwn(record.entries, id) ? (record.entries[id] ?? []) : []
  return {
    file: host.file,
    surface: 'placed-file',
    id,
    add: recordAfter?.entries[id] ?? [],
    remove: before,
    hashBefore: host.hash,
    hashAfter: hashOfText(after),
    mode: desired?.executable === true ? 0o777 : 0o666,
    patches: after === host.text ? [] : [{ offset: 0, remove: host.text ?? '', insert: after ?? '' }],
    recordBefore: record,
    recordAfter,
  }
}

const editedFileWarning = ({ host: { file }, desired }: PlacedFileRequest): Diagnostic =>
  diagnostic('warning', 'HOST_ENTRY_EDITED', `${quote(file)} was edited and stays as it is`, {
    file,
    hint:
      desired === null
        ? `delete it if it is not needed: ${file}`
        : `to replace it, delete ${file}, then gsd capability sync`,
  })
