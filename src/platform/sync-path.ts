import { constants } from 'node:fs'
import { isSyncUnsupported, withDiskErrors } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { retryInterrupted } from './file-io.ts'

/** Syncs one file or folder. Throws STATE_*. */
export const syncPath = (disk: Disk, path: string): void =>
  withDiskErrors('sync', path, () => {
    const fd = retryInterrupted(() => disk.openSync(path, constants.O_RDONLY))
    try {
      retryInterrupted(() => disk.fsyncSync(fd))
    } catch (error) {
      if (!isSyncUnsupported(error)) throw error
    } finally {
      disk.closeSync(fd)
    }
  })
