import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { isErrno, withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { pathExists, syncPath } from '../platform/disk.ts'
import { ensureFolder, removeEmptyFolders } from '../platform/folders.ts'
import { removeTemporary, replaceFile } from '../platform/replace-file.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import type { Journal } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { STORES } from '../state/stores.ts'

/** Git ignores what is derived or temporary. */
export const GITIGNORE_TEXT = 'receipts/\n.staging/\n.trash/\n'

/**
 * Creates the folders that the changes of a plan need.
 * @returns the created folders, outermost first, and the file that {@link writeGitignore} will create
 * @throws STATE_*; then none of the folders is left
 */
export const createOperationFolders = (context: Context, paths: ScopePaths, plan: Journal): string[] => {
  const { disk } = context
  const created: string[] = []
  try {
    const isNew = isNewScope(disk, paths, plan)
    for (const folder of foldersFor(context, paths, plan)) created.push(...ensureFolder(disk, folder))
    return isNew ? [...created, paths.gitignore] : created
  } catch (error) {
    removeEmptyFolders(disk, created)
    throw error
  }
}

/** Writes the `.gitignore` of a new scope. The journal names it, so that undo removes it. */
export const writeGitignore = (disk: Disk, paths: ScopePaths, { operation, made = [] }: Journal): void => {
  if (!made.includes(paths.gitignore)) return
  replaceFile(disk, paths.gitignore, Buffer.from(GITIGNORE_TEXT), { operation, expect: null })
}

/** The inverse of {@link writeGitignore}. Throws STATE_*. */
export const undoGitignore = (disk: Disk, paths: ScopePaths, { operation, made = [] }: Journal): void => {
  if (!made.includes(paths.gitignore)) return
  removeTemporary(disk, paths.gitignore, operation)
  removeGitignore(disk, paths)
}

/** Removes the empty folders of a scope. `.gsd` itself stays: it may be what marks the project. */
export const removeEmptyScopeFolders = (disk: Disk, paths: ScopePaths): void =>
  void removeEmptyFolders(disk, scopeFoldersOf(paths))

/** The folders of a scope below `.gsd`. Each is removed when it is empty. */
export const scopeFoldersOf = ({ gsd, capabilities, receipts, staging, trash }: ScopePaths): readonly string[] => [
  capabilities,
  receipts,
  join(gsd, 'kept'),
  staging,
  trash,
]

/** After a removal: removes `.gitignore` when the scope is empty. Throws STATE_*. */
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

/** `.gitignore` is written only with the first capability: a user who deletes it later has a reason. */
const isNewScope = (disk: Disk, paths: ScopePaths, { changes }: Journal): boolean =>
  changes.some((change) => change.kind === 'swap' && change.from !== null) &&
  [paths.ledger, paths.gitignore].every((path) => !pathExists(disk, path))

/**
 * Refuses a scope with a link in place of one of its folders. In a home `.gsd` itself may be a link; in a project nothing
 * may (contract, "Files").
 * @throws STATE_LINKED, STATE_NOT_A_FILE
 */
export const refuseLinkedFolders = (disk: Disk, paths: ScopePaths): void => {
  for (const folder of ownFoldersOf(paths)) refuseLinkedFolder(disk, folder)
}

/** Why {@link refuseLinkedFolders} refuses a scope: each folder with a link, or a file, in its place. */
export const findLinkedFolders = (
  disk: Disk,
  paths: ScopePaths,
): readonly { readonly folder: string; readonly error: GsdError }[] =>
  ownFoldersOf(paths).flatMap((folder) => {
    try {
      refuseLinkedFolder(disk, folder)
      return []
    } catch (error) {
      if (error instanceof GsdError) return [{ folder, error }]
      throw error
    }
  })

const ownFoldersOf = (paths: ScopePaths): readonly string[] =>
  paths.trusted ? scopeFoldersOf(paths) : [paths.gsd, ...scopeFoldersOf(paths)]

const refuseLinkedFolder = (disk: Disk, folder: string): void =>
  withDiskErrors('read', folder, () => {
    try {
      const stats = disk.lstatSync(folder)
      if (stats.isDirectory()) return
      if (!stats.isSymbolicLink())
        throw new GsdError('STATE_NOT_A_FILE', `${quote(folder)} is not a folder`, {
          hint: `move it away: ${shellQuote(folder)}`,
        })
      throw new GsdError('STATE_LINKED', `${quote(folder)} is a link, and links are not followed here`, {
        hint: `remove the link: rm ${shellQuote(folder)}`,
      })
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
    }
  })
