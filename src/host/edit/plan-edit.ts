import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { hashOfText } from '../../platform/hash.ts'
import { quote } from '../../redact.ts'
import type { ContainerRecord, HostEdit, HostEntry, HostFileRecord } from '../../state/host-edit.ts'
import { RUNTIMES } from '../runtimes/table.ts'
import { applyPatches, revertPatches } from '../splice/text-patch.ts'
import type { SpliceRequest } from '../surfaces/surface.ts'
import { SURFACES } from '../surfaces/table.ts'
import { refuseServerNamesInUse, requireOwnFile } from './edit-conflicts.ts'
import type { HostEditRequest } from './edit-request.ts'
import { isHook, sameEntry } from './host-entry.ts'
import { findRejectedSyntax } from './rejected-syntax.ts'

/**
 * Plans one change of one host file: pure, nothing is written. An edit without patches changes nothing in the file.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE with line and column; HOST_SETTINGS_FILE for a user's file where
 * one of our own would go.
 */
export const planHostEdit = (plan: HostEditRequest): { edit: HostEdit; warnings: readonly Diagnostic[] } => {
  const { host, runtime, id } = plan
  const surface = SURFACES[plan.surface]
  const add = uniqueEntries(plan.add)
  const remove = uniqueEntries(plan.remove).filter((hook) => !add.some((each) => sameEntry(each, hook)))
  const wanted = { add, remove, record: plan.record, id }
  if (surface.ownFile && host.text !== null && add.length > 0) requireOwnFile(plan)
  refuseServerNamesInUse(plan)
  const { text, patches, containers, warnings } = surface.splice(
    host.text ?? '',
    spliceRequest(host.file, host.text, wanted, true),
  )

  const entries = entriesAfterEdit(wanted)
  const madeFile = host.text === null ? add.length > 0 : (plan.record?.madeFile ?? false)
  const goes = madeFile && isBlankFile(text)
  const after = host.text === null && patches.length === 0 ? null : goes ? null : text
  const recordAfter: HostFileRecord | null =
    Object.keys(entries).length === 0
      ? null
      : { surface: plan.surface, runtime, madeFile, madeFolders: foldersAfterEdit(plan), containers, entries }
  return {
    edit: {
      file: host.file,
      surface: plan.surface,
      id,
      add,
      remove,
      hashBefore: host.hash,
      hashAfter: after === host.text ? host.hash : hashOfText(after),
      mode: surface.mode,
      patches: after === null && text !== '' ? [...patches, { offset: 0, remove: text, insert: '' }] : patches,
      recordBefore: plan.record,
      recordAfter,
    },
    // Of a file that goes away nothing is asked about.
    warnings: [...warnings, ...hostWarnings(plan, text, patches.length > 0 && after !== null)],
  }
}

/**
 * The text as it is to be after the edit, whatever it says now: the exact change while it is the text that was read, the
 * same hooks spliced anew otherwise. Null: the file is to be absent. Doing it twice does nothing more.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE when the text cannot be understood any more.
 */
export const applyHostEdit = (text: string | null, edit: HostEdit): string | null => {
  const hash = hashOfText(text)
  if (hash === edit.hashAfter) return text
  if (hash === edit.hashBefore) {
    const exact = applyPatches(text ?? '', edit.patches)
    if (exact !== null) return edit.hashAfter === null ? null : exact
  }
  if (edit.surface === 'placed-file')
    return text ?? (edit.add.length === 0 ? null : (edit.patches.at(-1)?.insert ?? null))
  if (text === null && edit.add.length === 0) return null
  return spliceCurrentText(text, edit, 'redo')
}

/**
 * The inverse of {@link applyHostEdit}: what the edit did is taken back, what a user typed meanwhile stays. On a text in
 * which the edit was never done it does nothing. A file the user has deleted meanwhile stays deleted.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE when the text cannot be understood any more.
 */
export const undoHostEdit = (text: string | null, edit: HostEdit): string | null => {
  const hash = hashOfText(text)
  if (hash === edit.hashBefore) return text
  if (hash === edit.hashAfter) {
    const exact = revertPatches(text ?? '', edit.patches)
    if (exact !== null) return edit.hashBefore === null ? null : exact
  }
  if (text === null) return null
  return spliceCurrentText(text, edit, 'undo')
}

/** What the host, not the text, makes worth saying. */
const hostWarnings = (
  { host, surface, runtime: id, add, remove }: HostEditRequest,
  text: string,
  changed: boolean,
): Diagnostic[] => {
  const runtime = RUNTIMES.find((each) => each.id === id)
  if (runtime === undefined) return []
  return [
    // What a host refuses is known of its file with the hooks, and of other JSON of its own.
    ...(add.length > 0 && surface !== 'mcp-servers-toml' ? findRejectedSyntax(host.file, text, runtime) : []),
    ...(changed && remove.some(isHook) && runtime.approvesByPosition
      ? [approvalsLostNotice(host.file, runtime.title)]
      : []),
  ]
}

const approvalsLostNotice = (file: string, title: string): Diagnostic =>
  diagnostic(
    'info',
    'HOST_ASKS_AGAIN',
    `${title} knows approved hooks by position: those behind the ones taken out will be asked about again`,
    { file },
  )

const spliceCurrentText = (text: string | null, edit: HostEdit, direction: 'redo' | 'undo'): string | null => {
  const [add, remove, from, to] =
    direction === 'redo'
      ? [edit.add, edit.remove, edit.recordBefore, edit.recordAfter]
      : [edit.remove, edit.add, edit.recordAfter, edit.recordBefore]
  const wanted = { add, remove, record: from, id: edit.id }
  const done = SURFACES[edit.surface].splice(text ?? '', spliceRequest(edit.file, text, wanted, false))
  if (direction === 'redo' && to !== null) refuseUnknownContainers(edit.file, done.containers, to)
  const made = (from ?? to)?.madeFile === true
  return made && add.length === 0 && isBlankFile(done.text) ? null : done.text
}

/** The record was written before the text changed: what it does not know of would stay behind for ever. */
const refuseUnknownContainers = (
  file: string,
  containers: readonly ContainerRecord[],
  { containers: known }: HostFileRecord,
): void => {
  const strange = containers.find((each) => !known.some(({ pointer }) => pointer === each.pointer))
  if (strange === undefined) return
  throw new GsdError('HOST_SETTINGS_CHANGED', `${quote(file)} changed while it was edited`, {
    hint: 'run the command again; it was left as it is now',
    details: { file },
  })
}

interface DesiredEntries {
  readonly id: string
  readonly add: readonly HostEntry[]
  readonly remove: readonly HostEntry[]
  readonly record: HostFileRecord | null
}

const spliceRequest = (
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
})

/** Capability id → hooks, as `hosts.json` is to have it for this file. */
const entriesAfterEdit = ({ id, add, remove, record }: DesiredEntries): Record<string, readonly HostEntry[]> => {
  const others = Object.entries(record?.entries ?? {}).filter(([other]) => other !== id)
  const stay = recordedEntries(record, id).filter((hook) => ![...add, ...remove].some((each) => sameEntry(each, hook)))
  const own = [...stay, ...add]
  return Object.fromEntries(own.length > 0 ? [...others, [id, own]] : others)
}

const recordedEntries = (record: HostFileRecord | null, id: string): readonly HostEntry[] =>
  record !== null && Object.hasOwn(record.entries, id) ? (record.entries[id] ?? []) : []

const foldersAfterEdit = ({ record, host }: HostEditRequest): string[] => [
  ...new Set([...(record?.madeFolders ?? []), ...host.missingFolders]),
]

const uniqueEntries = (hooks: readonly HostEntry[]): HostEntry[] =>
  hooks.filter((hook, index) => hooks.findIndex((each) => sameEntry(each, hook)) === index)

/** Nothing is left in a file that we made. */
const isBlankFile = (text: string): boolean => /^\uFEFF?\s*$/.test(text)
