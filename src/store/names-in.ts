import { onDisk } from './disk-error.ts'
import type { Disk } from './disk.ts'
import { isThere } from './is-there.ts'

/** Names in a folder of ours; none where there is no folder, be it a link to one. Throws STATE_*. */
export const namesIn = (disk: Disk, folder: string): readonly string[] =>
  onDisk('list', folder, () =>
    isThere(disk, folder) && disk.lstatSync(folder).isDirectory() ? disk.readdirSync(folder) : [],
  )
