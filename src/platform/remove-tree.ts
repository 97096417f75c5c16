import { join } from 'node:path'
import { isErrno, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'

/**
 * Deletes a file or a whole folder. Links are deleted, never followed; what is not there is no fault.
 * @throws STATE_*
 */
export const removeTree = (disk: Disk, path: string): void => {
  try {
    if (!disk.lstatSync(path).isDirectory()) return disk.unlinkSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return
    withDiskErrors('delete', path, () => {
      throw error
    })
  }
  for (const name of withDiskErrors('list', path, () => disk.readdirSync(path))) removeTree(disk, join(path, name))
  withDiskErrors('delete', path, () => disk.rmdirSync(path))
}
