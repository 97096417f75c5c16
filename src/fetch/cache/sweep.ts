import { join } from 'node:path'
import type { Disk } from '../../store/disk.ts'
import { removeTree } from '../../store/remove-tree.ts'

/** Milliseconds. No fetch takes as long, so what is older was left by a process that is gone. */
const LEFT_BEHIND = 24 * 60 * 60 * 1000

/** Takes out of a folder of passing files what killed processes left there. Never throws. */
export const sweepPassing = (disk: Disk, folder: string, isPassing = (_name: string): boolean => true): void => {
  try {
    for (const name of disk.readdirSync(folder)) {
      const path = join(folder, name)
      if (isPassing(name) && Date.now() - disk.lstatSync(path).mtimeMs > LEFT_BEHIND) removeTree(disk, path)
    }
  } catch {
    // Another process sweeps too, or the folder is not there.
  }
}
