import { diskError, isErrno } from './disk-error.ts'
import type { Disk } from './disk.ts'

/** Whether something stands at a path, be it a link to nothing. @throws STATE_* */
export const pathExists = (disk: Disk, path: string): boolean => {
  try {
    disk.lstatSync(path)
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false
    throw diskError(error, 'look at', path)
  }
}
