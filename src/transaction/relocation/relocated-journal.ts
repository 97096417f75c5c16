import type { Context } from '../../context.ts'
import { pathExists } from '../../platform/disk.ts'
import { listFolder } from '../../platform/folders.ts'
import type { Change, Journal } from '../../state/change.ts'
import type { HostEdit } from '../../state/host-edit.ts'
import { isOperationName } from '../../state/name-rules.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readJournal } from '../journal.ts'
import { relocatedPath } from './find-relocations.ts'
import { otherProjects } from './other-projects.ts'

/** The journal of an operation that was interrupted before its folder was moved. */
export interface RelocatedJournal {
  /** The former path of the folder. */
  readonly from: string
  /** The paths of the scope here, with the private paths of the former folder. */
  readonly paths: ScopePaths
  /** With the current paths. */
  readonly journal: Journal
}

/**
 * Finds the journal of an operation whose folder was moved here. Proof is a staging or trash folder here with the name of
 * the operation: it is random, so no repository can guess it. A copy of a folder that still exists is not concerned.
 */
export const findRelocatedJournal = (context: Context, paths: ScopePaths): RelocatedJournal | null => {
  const { disk } = context
  const operations = new Set([paths.staging, paths.trash].flatMap((folder) => operationNamesIn(disk, folder)))
  if (operations.size === 0) return null
  const own = readJournal(disk, paths)
  if (own.state === 'unreadable') return null
  const known =
    own.state === 'ok'
      ? [{ paths, journal: own.value, exists: pathExists(disk, own.value.root) }]
      : otherProjects(context)
  for (const { paths: formerPaths, journal, exists } of known) {
    if (journal === null || exists || journal.root === paths.realRoot || journal.scope !== paths.scope) continue
    if (!operations.has(journal.operation)) continue
    return {
      from: journal.root,
      paths: { ...paths, ...formerPaths },
      journal: relocateJournal(journal, paths.realRoot),
    }
  }
  return null
}

const relocateEdit = (edit: HostEdit, here: (path: string) => string): HostEdit => ({
  ...edit,
  file: here(edit.file),
  recordAfter:
    edit.recordAfter === null
      ? null
      : { ...edit.recordAfter, madeFolders: edit.recordAfter.madeFolders.map((folder) => here(folder)) },
})

const operationNamesIn = (disk: Context['disk'], folder: string): readonly string[] =>
  listFolder(disk, folder).filter(isOperationName)

/** Keys in the stores keep the former path; `recordRelocations` handles them afterwards. */
const relocateJournal = (journal: Journal, to: string): Journal => {
  const here = (path: string): string => relocatedPath(path, journal.root, to)
  return {
    ...journal,
    root: to,
    changes: journal.changes.map((change): Change =>
      change.kind === 'host' ? { kind: 'host', edit: relocateEdit(change.edit, here) } : change,
    ),
    ...(journal.made === undefined ? {} : { made: journal.made.map(here) }),
    ...(journal.modes === undefined
      ? {}
      : { modes: journal.modes.map((each) => ({ ...each, file: here(each.file) })) }),
  }
}
