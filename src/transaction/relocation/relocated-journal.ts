import type { Context } from '../../context.ts'
import { listFolder } from '../../platform/folders.ts'
import { pathExists } from '../../platform/path-exists.ts'
import type { Change, Journal } from '../../state/change.ts'
import type { HostEdit } from '../../state/host-edit.ts'
import { isOperationName } from '../../state/name-rules.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readJournal } from '../journal.ts'
import { otherProjects } from './other-projects.ts'
import { relocatedPath } from './relocated-records.ts'

/** An operation that was interrupted before the folder it worked in was moved. */
export interface RelocatedJournal {
  /** The folder as it was called. */
  readonly from: string
  /** The scope here, with what the user's own `.gsd` keeps of it still under its old name. */
  readonly paths: ScopePaths
  /** With the paths as they are now. */
  readonly journal: Journal
}

/**
 * The journal of an operation whose folder is gone and came here: what it had staged or replaced lies here under its name,
 * which is random, so no repository can have guessed it. A copy of a folder that is still there has no part in it.
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
  for (const { paths: kept, journal, exists } of known) {
    if (journal === null || exists || journal.root === paths.realRoot || journal.scope !== paths.scope) continue
    if (!operations.has(journal.operation)) continue
    return { from: journal.root, paths: { ...paths, ...kept }, journal: relocateJournal(journal, paths.realRoot) }
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

/** Members of the stores keep their names: what is on record under the old one is taken over, or not, afterwards. */
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
