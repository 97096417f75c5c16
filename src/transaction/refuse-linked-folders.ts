import { GsdError } from '../errors.ts'
import { isErrno, withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { scopeFoldersOf } from './scope-folders.ts'

/**
 * Refuses a scope whose folders would lead the operation elsewhere. In a home `.gsd` itself may be a link; nothing else
 * may, and in a project nothing at all (contract, "Files").
 * @throws STATE_LINKED, STATE_NOT_A_FILE
 */
export const refuseLinkedFolders = (disk: Disk, paths: ScopePaths): void => {
  const folders = scopeFoldersOf(paths)
  for (const folder of paths.trusted ? folders : [paths.gsd, ...folders]) refuseLinkedFolder(disk, folder)
}

const refuseLinkedFolder = (disk: Disk, folder: string): void =>
  withDiskErrors('look at', folder, () => {
    try {
      const stats = disk.lstatSync(folder)
      if (stats.isDirectory()) return
      if (!stats.isSymbolicLink())
        throw new GsdError('STATE_NOT_A_FILE', `${quote(folder)} is not a folder`, { hint: 'move it away' })
      throw new GsdError('STATE_LINKED', `${quote(folder)} is a link, and would lead the operation elsewhere`, {
        hint: 'put a real folder in its place',
      })
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
    }
  })
