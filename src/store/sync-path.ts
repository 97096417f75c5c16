import { constants } from 'node:fs'
import { isUnsyncable, onDisk } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { uninterrupted } from './write-all.ts'

/** Syncs one file or folder. Throws STATE_*. */
export const syncPath = (disk: Disk, path: string): void =>
  onDisk('sync', path, () => {
    const fd = uninterrupted(() => disk.openSync(path, constants.O_RDONLY))
    try {
      uninterrupted(() => disk.fsyncSync(fd))
    } catch (error) {
      if (!isUnsyncable(error)) throw error
    } finally {
      disk.closeSync(fd)
    }
  })
