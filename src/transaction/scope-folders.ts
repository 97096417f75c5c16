import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import { isErrno, withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../platform/folders.ts'
import { pathExists } from '../platform/path-exists.ts'
import { replaceFile } from '../platform/replace-file.ts'
import { syncPath } from '../platform/sync-path.ts'
import { removeTemporary } from '../platform/temporary-file.ts'
import type { Journal } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { STORES } from '../state/stores.ts'

/** What git is to leave out: everything that is derived, or there only for a moment. */
export const GITIGNORE_TEXT = 'receipts/\n.staging/\n.trash/\n'

/**
 * Makes the folders that the changes of a plan need.
 * @returns what was made, outermost first, and what {@link writeGitignore} is going to make
 * @throws STATE_*; then none of them is left
 */
export const createOperationFolders = (context: Context, paths: ScopePaths, plan: Journal): string[] => {
  const { disk } = context
  const made: string[] = []
  try {
    const isNew = isNewScope(disk, paths, plan)
    for (const folder of foldersFor(context, paths, plan)) made.push(...ensureFolder(disk, folder))
    return isNew ? [...made, paths.gitignore] : made
  } catch (error) {
    removeEmptyFolders(disk, made)
    throw error
  }
}

/** Writes `.gitignore` where a scope begins. The journal names it, so that it goes when the operation is undone. */
export const writeGitignore = (disk: Disk, paths: ScopePaths, { operation, made = [] }: Journal): void => {
  if (!made.includes(paths.gitignore)) return
  replaceFile(disk, paths.gitignore, Buffer.from(GITIGNORE_TEXT), { operation, expect: null })
}

/** The inverse. Throws STATE_*. */
export const undoGitignore = (disk: Disk, paths: ScopePaths, { operation, made = [] }: Journal): void => {
  if (!made.includes(paths.gitignore)) return
  removeTemporary(disk, paths.gitignore, operation)
  removeGitignore(disk, paths)
}

/** Takes away the folders of a scope that have become empty. `.gsd` itself stays: it may be what marks the project. */
export const removeEmptyScopeFolders = (disk: Disk, paths: ScopePaths): void =>
  void removeEmptyFolders(disk, scopeFoldersOf(paths))

/** The folders of a scope below `.gsd`, none of which stays when it is empty. */
export const scopeFoldersOf = ({ gsd, capabilities, receipts, staging, trash }: ScopePaths): readonly string[] => [
  capabilities,
  receipts,
  join(gsd, 'kept'),
  staging,
  trash,
]

/** After a removal: when nothing is left for it to speak of, `.gitignore` goes too. Throws STATE_*. */
export const removeUnusedGitignore = (disk: Disk, paths: ScopePaths): void => {
  const { ledger, state, capabilities, receipts } = paths
  if ([ledger, state, capabilities, receipts].every((path) => !pathExists(disk, path))) removeGitignore(disk, paths)
}

const removeGitignore = (disk: Disk, { gsd, gitignore }: ScopePaths): void =>
  withDiskErrors('delete', gitignore, () => {
    try {
      if (!disk.readFileSync(gitignore).equals(Buffer.from(GITIGNORE_TEXT))) return
      disk.unlinkSync(gitignore)
      syncPath(disk, gsd)
    } catch (error) {
      if (!isErrno(error, 'ENOENT', 'EISDIR')) throw error
    }
  })

const foldersFor = (context: Context, paths: ScopePaths, { changes, operation }: Journal): Set<string> => {
  const folders = new Set([dirname(paths.journal)])
  for (const change of changes) {
    if (change.kind === 'record') folders.add(dirname(STORES[change.store].file(context.user, paths)))
    if (change.kind !== 'swap') continue
    const target = join(paths.gsd, change.target)
    folders.add(dirname(target))
    if (pathExists(context.disk, target)) folders.add(dirname(join(paths.trash, operation, change.target)))
  }
  return folders
}

/** Only with the first thing that is put there: who deletes the file later meant it. */
const isNewScope = (disk: Disk, paths: ScopePaths, { changes }: Journal): boolean =>
  changes.some((change) => change.kind === 'swap' && change.from !== null) &&
  [paths.ledger, paths.gitignore].every((path) => !pathExists(disk, path))
