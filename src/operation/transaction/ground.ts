import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { isErrno, onDisk } from '../../store/disk-error.ts'
import type { Disk } from '../../store/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../../store/folders.ts'
import { isThere } from '../../store/is-there.ts'
import type { Journal } from '../../store/journal-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { STORES } from '../../store/records.ts'
import { replaceFile } from '../../store/replace.ts'
import { syncPath } from '../../store/sync-path.ts'
import { dropTemporary } from '../../store/temporary.ts'

/** What git is to leave out: everything that is derived, or there only for a moment. */
export const GITIGNORE = 'receipts/\n.staging/\n.trash/\n'

/**
 * Makes the folders that the changes of a plan need.
 * @returns what was made, outermost first, and what {@link writeGitignore} is going to make
 * @throws STATE_*; then none of them is left
 */
export const layGround = (context: Context, places: ScopePlaces, plan: Journal): string[] => {
  const { disk } = context
  const made: string[] = []
  try {
    const isNew = begins(disk, places, plan)
    for (const folder of foldersFor(context, places, plan)) made.push(...ensureFolder(disk, folder))
    return isNew ? [...made, places.gitignore] : made
  } catch (error) {
    removeEmptyFolders(disk, made)
    throw error
  }
}

/** Writes `.gitignore` where a scope begins. The journal names it, so that it goes when the operation is undone. */
export const writeGitignore = (disk: Disk, places: ScopePlaces, { operation, made = [] }: Journal): void => {
  if (!made.includes(places.gitignore)) return
  replaceFile(disk, places.gitignore, Buffer.from(GITIGNORE), { operation, expect: null })
}

/** The inverse. Throws STATE_*. */
export const takeBackGitignore = (disk: Disk, places: ScopePlaces, { operation, made = [] }: Journal): void => {
  if (!made.includes(places.gitignore)) return
  dropTemporary(disk, places.gitignore, operation)
  dropGitignore(disk, places)
}

/** Takes away the folders of a scope that have become empty. `.gsd` itself stays: it may be what marks the project. */
export const tidy = (disk: Disk, places: ScopePlaces): void => void removeEmptyFolders(disk, skeletonOf(places))

/** The folders of a scope below `.gsd`, none of which stays when it is empty. */
export const skeletonOf = ({ gsd, capabilities, receipts, staging, trash }: ScopePlaces): readonly string[] => [
  capabilities,
  receipts,
  join(gsd, 'kept'),
  staging,
  trash,
]

/** After a removal: when nothing is left for it to speak of, `.gitignore` goes too. Throws STATE_*. */
export const tidyBare = (disk: Disk, places: ScopePlaces): void => {
  const { ledger, state, capabilities, receipts } = places
  if ([ledger, state, capabilities, receipts].every((path) => !isThere(disk, path))) dropGitignore(disk, places)
}

const dropGitignore = (disk: Disk, { gsd, gitignore }: ScopePlaces): void =>
  onDisk('delete', gitignore, () => {
    try {
      if (!disk.readFileSync(gitignore).equals(Buffer.from(GITIGNORE))) return
      disk.unlinkSync(gitignore)
      syncPath(disk, gsd)
    } catch (error) {
      if (!isErrno(error, 'ENOENT', 'EISDIR')) throw error
    }
  })

const foldersFor = (context: Context, places: ScopePlaces, { changes, operation }: Journal): Set<string> => {
  const folders = new Set([dirname(places.journal)])
  for (const change of changes) {
    if (change.kind === 'record') folders.add(dirname(STORES[change.store].file(context.user, places)))
    if (change.kind !== 'swap') continue
    const target = join(places.gsd, change.target)
    folders.add(dirname(target))
    if (isThere(context.disk, target)) folders.add(dirname(join(places.trash, operation, change.target)))
  }
  return folders
}

/** Only with the first thing that is put there: who deletes the file later meant it. */
const begins = (disk: Disk, places: ScopePlaces, { changes }: Journal): boolean =>
  changes.some((change) => change.kind === 'swap' && change.from !== null) &&
  [places.ledger, places.gitignore].every((path) => !isThere(disk, path))
