import type { Context } from '../../context.ts'
import type { HostEdit } from '../../host/host-edit.ts'
import { isThere } from '../../store/is-there.ts'
import type { Change, Journal } from '../../store/journal-entry.ts'
import { readJournal } from '../../store/journal.ts'
import { namesIn } from '../../store/names-in.ts'
import { isOperationName } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { movedPath } from './belongings.ts'
import { otherProjects } from './other-projects.ts'

/** An operation that was interrupted before the folder it worked in was moved. */
export interface MovedJournal {
  /** The folder as it was called. */
  readonly from: string
  /** The scope here, with what the user's own `.gsd` keeps of it still under its old name. */
  readonly places: ScopePlaces
  /** With the paths as they are now. */
  readonly journal: Journal
}

/**
 * The journal of an operation whose folder is gone and came here: what it had staged or replaced lies here under its name,
 * which is random, so no repository can have guessed it. A copy of a folder that is still there has no part in it.
 */
export const movedJournal = (context: Context, places: ScopePlaces): MovedJournal | null => {
  const { disk } = context
  const operations = new Set([places.staging, places.trash].flatMap((folder) => operationsIn(disk, folder)))
  if (operations.size === 0) return null
  const own = readJournal(disk, places)
  if (own.state === 'unreadable') return null
  const known =
    own.state === 'ok'
      ? [{ places, journal: own.value, isThere: isThere(disk, own.value.root) }]
      : otherProjects(context)
  for (const { places: kept, journal, isThere: stays } of known) {
    if (journal === null || stays || journal.root === places.realRoot || journal.scope !== places.scope) continue
    if (!operations.has(journal.operation)) continue
    return { from: journal.root, places: { ...places, ...kept }, journal: moved(journal, places.realRoot) }
  }
  return null
}

const movedEdit = (edit: HostEdit, here: (path: string) => string): HostEdit => ({
  ...edit,
  file: here(edit.file),
  recordAfter:
    edit.recordAfter === null
      ? null
      : { ...edit.recordAfter, madeFolders: edit.recordAfter.madeFolders.map((folder) => here(folder)) },
})

const operationsIn = (disk: Context['disk'], folder: string): readonly string[] =>
  namesIn(disk, folder).filter(isOperationName)

/** Members of the stores keep their names: what is on record under the old one is taken over, or not, afterwards. */
const moved = (journal: Journal, to: string): Journal => {
  const here = (path: string): string => movedPath(path, journal.root, to)
  return {
    ...journal,
    root: to,
    changes: journal.changes.map((change): Change =>
      change.kind === 'host' ? { kind: 'host', edit: movedEdit(change.edit, here) } : change,
    ),
    ...(journal.made === undefined ? {} : { made: journal.made.map(here) }),
    ...(journal.modes === undefined
      ? {}
      : { modes: journal.modes.map((each) => ({ ...each, file: here(each.file) })) }),
  }
}
