import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { hashOfText } from '../../platform/hash.ts'
import type { HostEdit, HostEntry, HostFileRecord } from '../../state/host-edit.ts'
import { RUNTIMES } from '../runtimes/built-in-runtimes.ts'
import { SURFACES } from '../surfaces/surfaces.ts'
import type { HostEditRequest } from './edit-conflicts.ts'
import { refuseServerNamesInUse, requireOwnFile } from './edit-conflicts.ts'
import { isHook, sameEntry } from './host-entry.ts'
import { findRejectedSyntax } from './rejected-syntax.ts'
import { entriesAfterEdit, isBlankFile, spliceRequest } from './splice-request.ts'

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
  const wanted = { add, remove, record: plan.record, id, adopt: plan.adopt ?? false }
  if (surface.ownFile && host.text !== null && add.length > 0) requireOwnFile(plan)
  refuseServerNamesInUse(plan)
  const { text, patches, containers, warnings } = surface.splice(
    host.text ?? '',
    spliceRequest(host.file, host.text, wanted, true),
  )

  const entries = entriesAfterEdit(wanted)
  const madeFile = host.text === null ? add.length > 0 : (plan.record?.madeFile ?? false)
  const isDeleted = madeFile && isBlankFile(text)
  const after = host.text === null && patches.length === 0 ? null : isDeleted ? null : text
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
    // A host does not ask about a file that is deleted.
    warnings: [...warnings, ...hostWarnings(plan, text, patches.length > 0 && after !== null)],
  }
}

/** Warnings that depend on the host. */
const hostWarnings = (
  { host, surface, runtime: id, add, remove }: HostEditRequest,
  text: string,
  changed: boolean,
): Diagnostic[] => {
  const runtime = RUNTIMES.find((each) => each.id === id)
  if (runtime === undefined) return []
  return [
    // The rejected syntax is known for the JSON files of a host.
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
    `${title} knows approved hooks by position, so it will ask again about those after the removed ones`,
    { file },
  )

const foldersAfterEdit = ({ record, host }: HostEditRequest): string[] => [
  ...new Set([...(record?.madeFolders ?? []), ...host.missingFolders]),
]

const uniqueEntries = (hooks: readonly HostEntry[]): HostEntry[] =>
  hooks.filter((hook, index) => hooks.findIndex((each) => sameEntry(each, hook)) === index)
